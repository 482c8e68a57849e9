// What is known of a started cluster, as plain data on disk: a later process can attach to it, or take it down.
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeName } from './layout.ts';
import { clustersDir } from './paths.ts';

export type NodeState = { readonly name: NodeName; readonly containerId: string; readonly ip: string };

export type ClusterState = {
  readonly name: string;
  readonly networkId: string;
  readonly nodes: readonly NodeState[];
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
};

export const clusterDir = (name: string): string => join(clustersDir(), name);
const stateFile = (name: string): string => join(clusterDir(name), 'state.json');

/** Written beside and renamed: another process may read it at any moment. */
export const writeState = async (state: ClusterState): Promise<void> => {
  const path = stateFile(state.name);
  await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`);
  await rename(`${path}.new`, path);
};

export const findState = async (name: string): Promise<ClusterState | undefined> => {
  if (!existsSync(stateFile(name))) return undefined;
  const state: ClusterState = JSON.parse(await readFile(stateFile(name), 'utf8'));
  return state;
};

export const listClusters = async (): Promise<readonly string[]> => readdir(clustersDir()).catch(() => []);

export const removeClusterDir = (name: string): Promise<void> => rm(clusterDir(name), { recursive: true, force: true });
