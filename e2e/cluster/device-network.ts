// Networks of devices where there is no such hardware: a device plugin that the kubelet knows, and a CNI plugin that needs one of its devices.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { ensureComponent } from './build-components.ts';
import { ensureDeviceNetworkImage } from './images.ts';
import { deviceResource, devicesPerNode } from './layout.ts';
import { ensureNodeImage } from './node-image.ts';
import { sourceDir } from './paths.ts';
import { pollUntil } from './poll-until.ts';
import { step } from './progress.ts';
import type { StartedCluster } from './started-cluster.ts';

const daemonSet = 'daemonset/device-network';
const readyDeadlineMs = 60_000;

const install = async (cluster: StartedCluster): Promise<void> => {
  const component = await ensureComponent('device-network');
  const client = await getContainerRuntimeClient();
  const archive = await ensureDeviceNetworkImage(client, await ensureNodeImage(client), component);
  await Promise.all(cluster.nodes.map((node) => node.importImage(archive)));
  await cluster.apply(await readFile(join(sourceDir, 'manifests', 'device-network.yaml'), 'utf8'));
};

/** The scheduler counts what the kubelets tell, which they do some seconds after the plugin has registered. */
const areOffered = async (cluster: StartedCluster): Promise<true | undefined> => {
  const { items }: { items: readonly { status: { allocatable: Readonly<Record<string, string>> } }[] } = JSON.parse(
    await cluster.kubectl(['get', 'nodes', '--output', 'json']),
  );
  const offers = items.map(({ status }) => Number(status.allocatable[deviceResource] ?? '0'));
  return offers.every((count) => count === devicesPerNode) ? true : undefined;
};

/** On a cluster that runs, whether it was there or not: quick when it was. */
export const ensureDeviceNetwork = async (cluster: StartedCluster): Promise<void> => {
  const isThere = (await cluster.tryKubectl(['-n', 'kube-system', 'get', daemonSet])).exitCode === 0;
  if (!isThere) await step('install networks of devices', () => install(cluster));
  await cluster.kubectl(['-n', 'kube-system', 'rollout', 'status', daemonSet, `--timeout=${readyDeadlineMs / 1000}s`]);
  await pollUntil('the nodes to offer devices', () => areOffered(cluster), { deadlineMs: readyDeadlineMs });
};
