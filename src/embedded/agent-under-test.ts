// The settings that point an agent at an embedded cluster.
import { join } from 'node:path';
import type { EmbeddedCluster } from './cluster.ts';

/** Flags of `dynamic-networks agent`, by setting name. Delays are short: tests wait for states, never for these. */
export const agentFlags = (
  cluster: EmbeddedCluster,
  overrides: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  nodeName: cluster.nodeName,
  podNamespace: cluster.agentPod.namespace,
  podName: cluster.agentPod.name,
  podUid: cluster.agentPod.uid,
  kubeconfig: cluster.kubeconfigPath,
  criSocket: cluster.criSocket,
  multusSocket: cluster.multusSocket,
  multusCacheDir: cluster.multusCacheDir,
  cniConfigDir: cluster.cniConfigDir,
  networkConfigDir: join(cluster.dir, 'networks'),
  hostLocalDir: join(cluster.dir, 'host-local'),
  hostNetDir: join(cluster.dir, 'host-net'),
  ledgerDir: join(cluster.dir, 'ledger'),
  listen: '127.0.0.1:0',
  retryMin: '20ms',
  retryMax: '1s',
  checkInterval: '0',
  multusTimeout: '2s',
  shutdownTimeout: '5s',
  logLevel: 'error',
  ...overrides,
});
