// What is known of a started cluster, as plain data on disk: a later process can attach to it, or take it down.
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
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

export const writeState = (state: ClusterState): Promise<void> =>
  writeFileAtomic(stateFile(state.name), `${JSON.stringify(state, null, 2)}\n`);

export const findState = async (name: string): Promise<ClusterState | undefined> => {
  if (!existsSync(stateFile(name))) return undefined;
  const state: ClusterState = JSON.parse(await readFile(stateFile(name), 'utf8'));
  return state;
};

export const listClusters = async (): Promise<readonly string[]> => readdir(clustersDir()).catch(() => []);

export const removeClusterDir = (name: string): Promise<void> => rm(clusterDir(name), { recursive: true, force: true });
