// KubeVirt as far as it runs without KVM: its definitions and its real virt-controller, in a pod of the first node. Launcher pods
// run a stub; there is neither virt-api nor virt-handler, whose part tests play themselves.
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { type Component, ensureComponent } from './build-components.ts';
import { issueServer, makeAuthority } from './certificates.ts';
import { ensureLauncherImage, ensureVirtControllerImage, launcherImage, virtControllerImage } from './images.ts';
import {
  accountObjects,
  controllerName,
  controllerObjects,
  controllerPort,
  controllerSelector,
  deviceResources,
  installation,
  kubevirtNamespace,
  nodeLabels,
  nodeResources,
} from './kubevirt-objects.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { bringImage, type Place, removeImage } from './place.ts';
import { pollUntil } from './poll-until.ts';
import { step } from './progress.ts';
import { runCommand } from './run-command.ts';

const readyDeadlineMs = 60_000;
const buildDeadlineMs = 20 * 60_000;

type Kubectl = Place['kubectl'];

const inNamespace = (...args: string[]): readonly string[] => ['-n', kubevirtNamespace, ...args];
const scaleTo = (kubectl: Kubectl, replicas: number): Promise<string> =>
  kubectl(inNamespace('scale', `deployment/${controllerName}`, `--replicas=${replicas}`));

const findControllers = async (kubectl: Kubectl): Promise<readonly string[]> => {
  const path = 'jsonpath={.items[*].metadata.name}';
  const names = await kubectl(inNamespace('get', 'pods', '-l', controllerSelector, '-o', path));
  return names.split(' ').filter((name) => name !== '');
};

const isLeading = async (kubectl: Kubectl): Promise<true | undefined> => {
  const [name] = await findControllers(kubectl);
  const url = `/api/v1/namespaces/${kubevirtNamespace}/pods/https:${name}:${controllerPort}/proxy/leader`;
  return /"leader":\s*"true"/.test(await kubectl(['get', '--raw', url])) ? true : undefined;
};

/** Returns once it acts. */
export const startVirtController = async (kubectl: Kubectl): Promise<void> => {
  await scaleTo(kubectl, 1);
  await pollUntil('virt-controller to lead', () => isLeading(kubectl), { deadlineMs: readyDeadlineMs });
};

/** Down until `startVirtController`: virtual machines stay as they are, and whoever plays its part is alone. */
export const stopVirtController = async (kubectl: Kubectl): Promise<void> => {
  await scaleTo(kubectl, 0);
  const isGone = async () => ((await findControllers(kubectl)).length === 0 ? true : undefined);
  await pollUntil('virt-controller to end', isGone, { deadlineMs: readyDeadlineMs });
};

const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

const definitionsOf = (component: Component): Promise<string> => runCommand([join(component.binDir, 'crds')]);

const install = async ({ kubectl, nodes }: Place, component: Component): Promise<void> => {
  const definitions = await definitionsOf(component);
  // Their schemas are larger than the annotation that a client-side apply would keep them in.
  await kubectl(['apply', '--server-side', '--force-conflicts', '--filename', '-'], definitions);
  const established = ['wait', '--for=condition=Established', '--filename', '-'];
  await kubectl([...established, `--timeout=${readyDeadlineMs / 1000}s`], definitions);
  const authority = await makeAuthority('virt-controller');
  const certificate = await issueServer(authority, { commonName: controllerName }, { dns: ['localhost'], ips: [] });
  const objects = [
    ...accountObjects,
    installation,
    ...controllerObjects({
      certificate,
      image: virtControllerImage(component),
      version: component.key,
      node: nodes[0]?.name ?? '',
    }),
  ];
  await kubectl(['apply', '--filename', '-'], listOf(objects));
};

const patchNode = async (kubectl: Kubectl, node: string, labels: object, resources: object): Promise<void> => {
  const patch = (change: object, ...flags: string[]) =>
    kubectl(['patch', 'node', node, '--type=merge', ...flags, '--patch', JSON.stringify(change)]);
  await patch({ metadata: { labels } });
  await patch({ status: { capacity: resources, allocatable: resources } }, '--subresource=status');
};

/** Again and again: a kubelet that starts takes away resources that no device plugin of its own offers. */
const offerNodes = async ({ kubectl, nodes }: Place): Promise<void> => {
  for (const { name } of nodes) {
    const node: { status: { capacity: object } } = JSON.parse(await kubectl(['get', 'node', name, '-o', 'json']));
    const missing = Object.entries(nodeResources).filter(([resource]) => !(resource in node.status.capacity));
    await patchNode(kubectl, name, nodeLabels, Object.fromEntries(missing));
  }
};

const takeBackNodes = async ({ kubectl, nodes }: Place): Promise<void> => {
  const nothing = (values: object) => Object.fromEntries(Object.keys(values).map((name) => [name, null]));
  for (const { name } of nodes) await patchNode(kubectl, name, nothing(nodeLabels), nothing(deviceResources));
};

const bringImages = async (place: Place, component: Component): Promise<void> => {
  const client = await getContainerRuntimeClient();
  await bringImage(place, launcherImage, async () => ensureLauncherImage(client, await place.baseImage()));
  await bringImage(place, virtControllerImage(component), async () =>
    ensureVirtControllerImage(client, await place.baseImage(), component),
  );
};

const installedVersion = async ({ tryKubectl }: Place): Promise<string> => {
  const path = 'jsonpath={.metadata.labels.version}';
  return (await tryKubectl(inNamespace('get', `deployment/${controllerName}`, '-o', path))).stdout;
};

const bringUp = async (place: Place): Promise<void> => {
  const component = await ensureComponent('kubevirt');
  await bringImages(place, component);
  if ((await installedVersion(place)) !== component.key)
    await step('install KubeVirt', () => install(place, component));
  await offerNodes(place);
  await startVirtController(place.kubectl);
};

/** KubeVirt on a cluster that runs, whether it was there or not: quick when it was. Stories that run side by side all ask for it. */
export const ensureKubeVirt = (place: Place): Promise<void> =>
  oneAtATime(place.name, 'kubevirt', () => bringUp(place), buildDeadlineMs);

/** Whether somebody else brought it, or its definitions alone. */
export const hasOtherKubeVirt = async (place: Place): Promise<boolean> => {
  const { exitCode } = await place.tryKubectl(['get', 'crd', 'kubevirts.kubevirt.io']);
  return exitCode === 0 && (await installedVersion(place)) === '';
};

/** After the last virtual machine. Its Deployment goes last: by that it is known as ours, should this be cut off and done again. */
export const removeKubeVirt = async (place: Place): Promise<void> => {
  if ((await installedVersion(place)) === '') return;
  const component = await ensureComponent('kubevirt');
  const remove = (manifest: string) =>
    place.kubectl(['delete', '--ignore-not-found', '--timeout=60s', '--filename', '-'], manifest);
  await takeBackNodes(place);
  await stopVirtController(place.kubectl);
  await remove(await definitionsOf(component));
  await removeImage(place, virtControllerImage(component));
  await removeImage(place, launcherImage);
  await remove(listOf(accountObjects));
};
