// KubeVirt as far as it runs without KVM: its definitions and its real virt-controller, as a supervised process of the control
// plane. Launcher pods run a stub; there is neither virt-api nor virt-handler, whose part tests play themselves.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { type Component, ensureComponent } from './build-components.ts';
import { issueServer, type KeyPair } from './certificates.ts';
import { clusterDir } from './cluster-state.ts';
import { ensureLauncherImage, launcherImage } from './images.ts';
import {
  controllerFiles,
  controllerUser,
  installation,
  metricsPort,
  nodeLabels,
  nodeResources,
  virtControllerCommand,
} from './kubevirt-objects.ts';
import { apiServerUrl, inNode } from './layout.ts';
import type { ClusterNode } from './node.ts';
import { kubeconfigFor } from './node-files.ts';
import { ensureNodeImage } from './node-image.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { pollUntil } from './poll-until.ts';
import { step } from './progress.ts';
import { runCommand } from './run-command.ts';
import { serviceScript } from './services.ts';
import type { StartedCluster } from './started-cluster.ts';

const service = 'virt-controller';
const readyDeadlineMs = 60_000;
const buildDeadlineMs = 20 * 60_000;

const configDir = (cluster: StartedCluster): string => join(clusterDir(cluster.name), 'control-plane', 'etc');

const readAuthority = async (cluster: StartedCluster): Promise<KeyPair> => {
  const [cert, key] = await Promise.all(
    ['ca.crt', 'ca.key'].map((file) => readFile(join(configDir(cluster), file), 'utf8')),
  );
  return { cert: cert ?? '', key: key ?? '' };
};

const writeControllerFiles = async (cluster: StartedCluster, component: Component): Promise<void> => {
  const node = cluster.node('control-plane');
  const authority = await readAuthority(cluster);
  const [kubeconfig, server] = await Promise.all([
    kubeconfigFor({ cluster: authority }, apiServerUrl(node.ip), controllerUser),
    issueServer(authority, { commonName: service }, { dns: ['localhost'], ips: ['127.0.0.1'] }),
  ]);
  const files: Readonly<Record<string, string>> = {
    [controllerFiles.kubeconfig]: kubeconfig,
    [controllerFiles.certificate]: server.cert,
    [controllerFiles.key]: server.key,
    [`services/${service}`]: serviceScript(virtControllerCommand(component.key, node.name)),
  };
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(configDir(cluster), name), text, { mode: 0o600 })),
  );
};

const installDefinitions = async (cluster: StartedCluster, component: Component): Promise<void> => {
  const definitions = await runCommand([join(component.binDir, 'crds')]);
  // Their schemas are larger than the annotation that a client-side apply would keep them in.
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--filename', '-'], definitions);
  const established = ['wait', '--for=condition=Established', '--filename', '-'];
  await cluster.kubectl([...established, `--timeout=${readyDeadlineMs / 1000}s`], definitions);
  await cluster.apply(JSON.stringify(installation));
};

/** Again and again: a kubelet that starts takes away resources that no device plugin of its own offers. */
const offerNodes = async (cluster: StartedCluster): Promise<void> => {
  const status = { capacity: nodeResources, allocatable: nodeResources };
  const patches: readonly (readonly [object, readonly string[]])[] = [
    [{ metadata: { labels: nodeLabels } }, []],
    [{ status }, ['--subresource=status']],
  ];
  for (const node of cluster.nodes) {
    for (const [patch, flags] of patches) {
      await cluster.kubectl(['patch', 'node', node.name, '--type=merge', ...flags, '--patch', JSON.stringify(patch)]);
    }
  }
};

const loadLauncherImage = async (cluster: StartedCluster): Promise<void> => {
  const lists = await Promise.all(cluster.nodes.map((node) => node.ctr('images', 'list', '--quiet')));
  if (lists.every((list) => list.split('\n').includes(launcherImage))) return;
  const client = await getContainerRuntimeClient();
  const archive = await ensureLauncherImage(client, await ensureNodeImage(client));
  await Promise.all(cluster.nodes.map((node) => node.importImage(archive)));
};

const isLeading = async (controlPlane: ClusterNode): Promise<true | undefined> => {
  const url = `https://127.0.0.1:${metricsPort}/leader`;
  const { stdout } = await controlPlane.exec(['curl', '-sS', '--cacert', `${inNode.config}/ca.crt`, url]);
  return /"leader":\s*"true"/.test(stdout) ? true : undefined;
};

/** Returns once it acts. */
export const startVirtController = async (controlPlane: ClusterNode): Promise<void> => {
  await controlPlane.startService(service);
  await pollUntil('virt-controller to lead', () => isLeading(controlPlane), { deadlineMs: readyDeadlineMs });
};

/** Down until `startVirtController`: virtual machines stay as they are, and whoever plays its part is alone. */
export const stopVirtController = (controlPlane: ClusterNode): Promise<void> => controlPlane.stopService(service);

const isInstalled = async (cluster: StartedCluster, component: Component): Promise<boolean> => {
  const script = await readFile(join(configDir(cluster), 'services', service), 'utf8').catch(() => '');
  return script.includes(component.key) && (await cluster.tryKubectl(['get', 'kubevirts', '-A'])).exitCode === 0;
};

const install = async (cluster: StartedCluster, component: Component): Promise<void> => {
  const controlPlane = cluster.node('control-plane');
  if ((await controlPlane.exec(['test', '-d', `${inNode.components}/${component.key}`])).exitCode !== 0) {
    throw new Error(
      `cluster ${cluster.name} was started by an older harness, without ${inNode.components}: start it anew`,
    );
  }
  await Promise.all([installDefinitions(cluster, component), writeControllerFiles(cluster, component)]);
};

const bringUp = async (cluster: StartedCluster): Promise<void> => {
  const component = await ensureComponent('kubevirt');
  if (!(await isInstalled(cluster, component))) await step('install KubeVirt', () => install(cluster, component));
  await loadLauncherImage(cluster);
  await offerNodes(cluster);
  await startVirtController(cluster.node('control-plane'));
};

/** KubeVirt on a cluster that runs, whether it was there or not: quick when it was. Stories that run side by side all ask for it. */
export const ensureKubeVirt = (cluster: StartedCluster): Promise<void> =>
  oneAtATime(cluster.name, 'kubevirt', () => bringUp(cluster), buildDeadlineMs);
