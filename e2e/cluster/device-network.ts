// Networks of devices where there is no such hardware: a device plugin that the kubelet knows, and a CNI plugin that needs one of its devices.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { ensureComponent } from './build-components.ts';
import { deviceNetworkImage, ensureDeviceNetworkImage } from './images.ts';
import { deviceResource, devicesPerNode, inNode } from './layout.ts';
import { sourceDir } from './paths.ts';
import { bringImage, type Place, removeImage } from './place.ts';
import { pollUntil } from './poll-until.ts';
import { step } from './progress.ts';

const daemonSet = 'daemonset/device-network';
const readyDeadlineMs = 60_000;

const readManifest = (): Promise<string> => readFile(join(sourceDir, 'manifests', 'device-network.yaml'), 'utf8');

const install = async (place: Place): Promise<void> => {
  const component = await ensureComponent('device-network');
  await bringImage(place, deviceNetworkImage, async () =>
    ensureDeviceNetworkImage(await getContainerRuntimeClient(), await place.baseImage(), component),
  );
  await place.kubectl(['apply', '--filename', '-'], await readManifest());
};

/** The scheduler counts what the kubelets tell, which they do some seconds after the plugin has registered. */
const areOffered = async (place: Place): Promise<true | undefined> => {
  const { items }: { items: readonly { status: { allocatable: Readonly<Record<string, string>> } }[] } = JSON.parse(
    await place.kubectl(['get', 'nodes', '--output', 'json']),
  );
  const offers = items.map(({ status }) => Number(status.allocatable[deviceResource] ?? '0'));
  return offers.every((count) => count === devicesPerNode) ? true : undefined;
};

/** On a cluster that runs, whether it was there or not: quick when it was. */
export const ensureDeviceNetwork = async (place: Place): Promise<void> => {
  const isThere = (await place.tryKubectl(['-n', 'kube-system', 'get', daemonSet])).exitCode === 0;
  if (!isThere) await step('install networks of devices', () => install(place));
  await place.kubectl(['-n', 'kube-system', 'rollout', 'status', daemonSet, `--timeout=${readyDeadlineMs / 1000}s`]);
  await pollUntil('the nodes to offer devices', () => areOffered(place), { deadlineMs: readyDeadlineMs });
};

/** After the last pod that has a device. */
export const removeDeviceNetwork = async (place: Place): Promise<void> => {
  await place.kubectl(['delete', '--ignore-not-found', '--wait', '--filename', '-'], await readManifest());
  await Promise.all(place.nodes.map((node) => node.run(['rm', '-f', `${inNode.cniPlugins}/sriov-like`])));
  await removeImage(place, deviceNetworkImage);
};
