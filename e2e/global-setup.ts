// One cluster per run. DYNAMIC_NETWORKS_E2E_CLUSTER=<name> uses one that runs already (npm run cluster up), and leaves it.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster/cluster.ts';
import { type ClusterState, findState } from './cluster/cluster-state.ts';
import { onInterrupt } from './cluster/interrupt.ts';
import { say } from './cluster/progress.ts';
import { attachCluster, type StartedCluster } from './cluster/started-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clusterState: ClusterState;
  }
}

const artifactsDir = resolve(import.meta.dirname, 'artifacts');
const logsDir = (): string => resolve(artifactsDir, `logs-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);

const attachByName = async (name: string): Promise<StartedCluster> => {
  const state = await findState(name);
  if (state === undefined)
    throw new Error(`DYNAMIC_NETWORKS_E2E_CLUSTER: no cluster ${name}; start it, or unset the variable`);
  return attachCluster(state);
};

const ownName = 'e2e';

/** vitest ends its process on a signal without waiting for anybody: the clean-up must outlive it. */
const removeDetached = async (): Promise<void> => {
  const cli = resolve(import.meta.dirname, 'cluster', 'cli.ts');
  spawn(process.execPath, [cli, 'down', '--name', ownName], { detached: true, stdio: 'inherit' }).unref();
};

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const existing = process.env['DYNAMIC_NETWORKS_E2E_CLUSTER'];
  const forget = existing ? () => {} : onInterrupt(removeDetached);
  const cluster = existing
    ? await attachByName(existing)
    : await startCluster({ name: ownName, failureLogsDir: logsDir() });
  project.provide('clusterState', cluster.state);

  return async () => {
    if (project.vitest.state.getCountOfFailedTests() > 0) {
      const dir = logsDir();
      await cluster.collectLogs(dir);
      say(`some tests failed; logs of every component are in ${dir}`);
    }
    if (!existing) await cluster.stop();
    forget();
  };
};
