// One cluster per run. DYNAMIC_NETWORKS_E2E_CLUSTER=<name> uses one that runs already (npm run cluster up), and leaves it.
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster/cluster.ts';
import { type ClusterState, findState } from './cluster/cluster-state.ts';
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

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const existing = process.env['DYNAMIC_NETWORKS_E2E_CLUSTER'];
  const cluster = existing
    ? await attachByName(existing)
    : await startCluster({ name: 'e2e', failureLogsDir: logsDir() });
  project.provide('clusterState', cluster.state);

  // An interrupted run must not leave a cluster behind; vitest exits without teardown on a signal.
  const stop = async (): Promise<void> => {
    if (!existing) await cluster.stop();
  };
  const onSignal = () => void stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);

  return async () => {
    if (project.vitest.state.getCountOfFailedTests() > 0) {
      const dir = logsDir();
      await cluster.collectLogs(dir);
      say(`some tests failed; logs of every component are in ${dir}`);
    }
    await stop();
  };
};
