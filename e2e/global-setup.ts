// One cluster per run, with the agent installed as users install it.
//   (nothing set)                        a fresh cluster of the harness, removed at the end
//   DYNAMIC_NETWORKS_E2E_CLUSTER=<name>  one of the harness that runs already (npm run cluster up), and stays
//   E2E_KUBECONFIG=<path>                any other cluster; E2E_IMAGE names the agent's image, which its nodes have or can pull
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { loadAgentImage } from './agent-image.ts';
import { startApiProxy } from './api-proxy.ts';
import { hasClaims, removeClaims } from './claims/claims-gate.ts';
import { startCluster } from './cluster/cluster.ts';
import { findState } from './cluster/cluster-state.ts';
import { removeDeviceNetwork } from './cluster/device-network.ts';
import { busyboxImage } from './cluster/images.ts';
import { onInterrupt } from './cluster/interrupt.ts';
import { hasOtherKubeVirt, removeKubeVirt } from './cluster/kubevirt.ts';
import { say } from './cluster/progress.ts';
import { attachCluster, type StartedCluster } from './cluster/started-cluster.ts';
import { rememberTraces } from './cluster/traces.ts';
import { installAgent, suiteOverlayDir } from './install-agent.ts';
import { removeGates } from './installed-objects.ts';
import { installNodeHelpers, removeNodeHelpers } from './node-exec.ts';
import { attachPlace } from './place-of-target.ts';
import { type Kubectl, makeKubectl, storyLabels, type Target } from './target.ts';
import { whyNotBuild } from './why-not-build.ts';

const artifactsDir = resolve(import.meta.dirname, 'artifacts');
const logsDir = (): string => resolve(artifactsDir, `logs-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);

type TearDown = () => Promise<void>;

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

/** Stories only ask for the deletion of their namespaces. One that does not go holds something that nobody released. */
const waitForStories = async (kubectl: Kubectl): Promise<void> => {
  const selector = Object.entries(storyLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  await kubectl.run(['delete', 'namespaces', '-l', selector, '--ignore-not-found', '--timeout=90s']);
};

const prepareCluster = async (project: TestProject, cluster: StartedCluster): Promise<void> => {
  const { state } = cluster;
  const target: Target = {
    kubeconfigPath: state.kubeconfigPath,
    kubectlPath: state.kubectlPath,
    podImage: busyboxImage,
    nodeNames: state.nodes.map(({ name }) => name),
    clusterState: state,
    canBuild: true,
    canHaveKubeVirt: true,
  };
  await installAgent(makeKubectl(target), { image: await loadAgentImage(cluster), overlayDir: suiteOverlayDir });
  project.provide('target', target);
};

const setUpHarness = async (project: TestProject): Promise<TearDown> => {
  const existing = process.env['DYNAMIC_NETWORKS_E2E_CLUSTER'];
  const forget = existing ? () => {} : onInterrupt(removeDetached);
  const cluster = existing
    ? await attachByName(existing)
    : await startCluster({ name: ownName, failureLogsDir: logsDir(), helm: true });

  const end = async (hasFailed: boolean) => {
    if (hasFailed) {
      const dir = logsDir();
      await cluster.collectLogs(dir);
      say(`something failed; logs of every component are in ${dir}`);
    }
    if (!existing) await cluster.stop();
    forget();
  };
  try {
    await prepareCluster(project, cluster);
  } catch (error) {
    await end(true);
    throw error;
  }
  return async () => {
    const hasFailed = project.vitest.state.getCountOfFailedTests() > 0;
    try {
      if (existing) await waitForStories(makeKubectl(cluster.state));
    } finally {
      await end(hasFailed);
    }
  };
};

/** Of somebody's cluster only what an administrator may read: kubectl has a command for that. */
const dumpForeign = async (kubectl: Kubectl): Promise<void> => {
  const dir = logsDir();
  await kubectl.try(['cluster-info', 'dump', '--all-namespaces', '--output-directory', dir]);
  say(`something failed; what the cluster said and its pods' logs are in ${dir}`);
};

/** Whatever was brought is taken away again, last things first, and also when something in between fails. */
const setUpForeignCluster = async (project: TestProject, kubeconfigPath: string): Promise<TearDown> => {
  const kubectlPath = process.env['E2E_KUBECTL'] || 'kubectl';
  const podImage = process.env['E2E_POD_IMAGE'] || 'busybox:1.36';
  const kubectl = makeKubectl({ kubeconfigPath, kubectlPath });
  const nodes = await kubectl.run(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
  await installAgent(kubectl, { image: process.env['E2E_IMAGE'] || undefined, overlayDir: suiteOverlayDir });

  await using brought = new AsyncDisposableStack();
  brought.defer(() => removeGates(kubectl));
  brought.defer(() => removeNodeHelpers(kubectl));
  await installNodeHelpers(kubectl, podImage);
  const { apiUrl, stop } = await startApiProxy({ kubectlPath, kubeconfigPath });
  brought.defer(stop);

  const found = { kubeconfigPath, kubectlPath, apiUrl, podImage, nodeNames: nodes.split(' ') };
  const obstacle = await whyNotBuild(kubectl);
  if (obstacle !== undefined) say(`stories that bring programs along are skipped: ${obstacle}`);
  const canBuild = obstacle === undefined;
  const place = await attachPlace({ ...found, canBuild, canHaveKubeVirt: false });
  const canHaveKubeVirt = !(await hasOtherKubeVirt(place));
  if (!canHaveKubeVirt) say('stories about virtual machines are skipped: the cluster has a KubeVirt of its own');
  brought.defer(await rememberTraces(place));
  if (!(await hasClaims(kubectl))) brought.defer(() => removeClaims(kubectl));
  brought.defer(() => removeDeviceNetwork(place));
  brought.defer(() => removeKubeVirt(place));
  brought.defer(() => waitForStories(kubectl));
  brought.defer(async () => {
    if (project.vitest.state.getCountOfFailedTests() > 0) await dumpForeign(kubectl);
  });
  project.provide('target', { ...found, canBuild, canHaveKubeVirt });

  const all = brought.move();
  return () => all.disposeAsync();
};

export const setup = async (project: TestProject): Promise<TearDown> => {
  const kubeconfigPath = process.env['E2E_KUBECONFIG'];
  return kubeconfigPath ? setUpForeignCluster(project, resolve(kubeconfigPath)) : setUpHarness(project);
};
