// Starts a cluster: a control-plane node and a worker, each a container with containerd and kubelet; Multus; whereabouts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerRuntimeClient, getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers';
import { type BaseComponentName, buildBaseComponents, type Component, ensureComponent } from './build-components.ts';
import { type ClusterState, clusterDir, type NodeState, writeState } from './cluster-state.ts';
import { ensureDocker, releaseDocker } from './docker-daemon.ts';
import { ensureClusterImages } from './images.ts';
import { ensureKubeVirt } from './kubevirt.ts';
import { type NodeName, nodeNames } from './layout.ts';
import { startNetwork, startNodeContainer } from './node-container.ts';
import { type Addresses, adminKubeconfig, makeAuthorities, writeNodeFiles } from './node-files.ts';
import { ensureNodeImage } from './node-image.ts';
import { imagesDir, sourceDir } from './paths.ts';
import { pollUntil } from './poll-until.ts';
import { say, step } from './progress.ts';
import { containerdCommand, type ServiceName, serviceScript } from './services.ts';
import { makeStartedCluster, removeCluster, removeContainers, type StartedCluster } from './started-cluster.ts';

const readyDeadlineMs = 120_000;

export type ClusterOptions = {
  /** Names containers and the state folder; two clusters may run side by side under two names. */
  readonly name: string;
  /** Where logs go if the start fails. */
  readonly failureLogsDir: string;
  /** With KubeVirt's virt-controller, which needs minutes to be built the first time. */
  readonly kubevirt?: boolean;
  /** Helm and krew are built while the nodes start, so that tests find them. */
  readonly helm?: boolean;
  /** Leave a cluster that failed to start as it is, for a look inside. */
  readonly keepOnFailure?: boolean;
};

type Parts = {
  readonly client: ContainerRuntimeClient;
  readonly components: Readonly<Record<BaseComponentName, Component>>;
  readonly nodeImage: string;
  readonly archives: readonly string[];
};

const prepareParts = async (): Promise<Parts> => {
  await ensureDocker();
  const client = await getContainerRuntimeClient();
  try {
    const components = await buildBaseComponents();
    const nodeImage = await ensureNodeImage(client);
    const archives = await ensureClusterImages(client, nodeImage, components);
    return { client, components, nodeImage, archives };
  } catch (error) {
    await releaseDocker(client);
    throw error;
  }
};

const startContainers = async (name: string, parts: Parts): Promise<ClusterState> => {
  const network = await startNetwork(name);
  const start = async (node: NodeName): Promise<NodeState> => {
    const [configDir, logDir] = [join(clusterDir(name), node, 'etc'), join(clusterDir(name), node, 'log')];
    await mkdir(join(configDir, 'services'), { recursive: true });
    await mkdir(logDir, { recursive: true });
    // containerd needs to know nothing about the cluster, so it starts with the container.
    await writeFile(join(configDir, 'services', 'containerd'), serviceScript(containerdCommand));
    const container: StartedTestContainer = await startNodeContainer({
      image: parts.nodeImage,
      cluster: name,
      node,
      network,
      configDir,
      logDir,
      binDir: parts.components.kubernetes.binDir,
      imagesDir: imagesDir(),
    });
    return { name: node, containerId: container.getId(), ip: container.getIpAddress(network.getName()) };
  };
  const state: ClusterState = {
    name,
    networkId: network.getId(),
    nodes: await Promise.all(nodeNames.map(start)),
    kubeconfigPath: join(clusterDir(name), 'kubeconfig'),
    kubectlPath: join(parts.components.kubernetes.binDir, 'kubectl'),
  };
  await writeState(state);
  return state;
};

const addressesOf = (state: ClusterState): Addresses => {
  const ipOf = (name: NodeName): string => {
    const ip = state.nodes.find((node) => node.name === name)?.ip;
    if (!ip) throw new Error(`node ${name} has no address`);
    return ip;
  };
  return { 'control-plane': ipOf('control-plane'), worker: ipOf('worker') };
};

const writeFiles = async (state: ClusterState): Promise<void> => {
  const [authorities, addresses] = [await makeAuthorities(), addressesOf(state)];
  await Promise.all(
    nodeNames.map((node) =>
      writeNodeFiles({ dir: join(clusterDir(state.name), node, 'etc'), node, authorities, addresses }),
    ),
  );
  await writeFile(state.kubeconfigPath, await adminKubeconfig(authorities, addresses), { mode: 0o600 });
};

const startServices = async (
  cluster: StartedCluster,
  node: NodeName,
  services: readonly ServiceName[],
): Promise<void> => {
  for (const service of services) await cluster.node(node).startService(service);
};

const importImages = async (cluster: StartedCluster, archives: readonly string[]): Promise<void> => {
  for (const node of cluster.nodes) {
    const isUp = async () => ((await node.exec(['ctr', 'version'])).exitCode === 0 ? true : undefined);
    await pollUntil(`containerd on ${node.name}`, isUp, { deadlineMs: readyDeadlineMs });
  }
  for (const archive of archives) await Promise.all(cluster.nodes.map((node) => node.importImage(archive)));
};

const startControlPlane = async (cluster: StartedCluster): Promise<void> => {
  await startServices(cluster, 'control-plane', ['etcd', 'kube-apiserver']);
  const isReady = async () =>
    (await cluster.tryKubectl(['get', '--raw', '/readyz'])).exitCode === 0 ? true : undefined;
  await pollUntil('the API server to be ready', isReady, { deadlineMs: readyDeadlineMs });
  await startServices(cluster, 'control-plane', ['kube-controller-manager', 'kube-scheduler']);
};

const joinNodes = async (cluster: StartedCluster): Promise<void> => {
  for (const node of cluster.nodes) await node.run(['bash', '/etc/cluster/boot.sh']);
  for (const node of nodeNames) await startServices(cluster, node, ['kubelet', 'kube-proxy']);
  const areKnown = async () => {
    const names = (await cluster.kubectl(['get', 'nodes', '--output', 'name'])).trim().split('\n');
    return names.length === nodeNames.length ? true : undefined;
  };
  await pollUntil('both nodes to register', areKnown, { deadlineMs: readyDeadlineMs });
  await cluster.kubectl(['wait', '--for=condition=Ready', 'node', '--all', `--timeout=${readyDeadlineMs / 1000}s`]);
};

const addNetworking = async (cluster: StartedCluster): Promise<void> => {
  for (const manifest of ['network-attachment-definition', 'multus', 'whereabouts']) {
    await cluster.apply(await readFile(join(sourceDir, 'manifests', `${manifest}.yaml`), 'utf8'));
  }
  for (const daemonSet of ['multus', 'whereabouts']) {
    const target = `daemonset/${daemonSet}`;
    await cluster.kubectl(['-n', 'kube-system', 'rollout', 'status', target, `--timeout=${readyDeadlineMs / 1000}s`]);
  }
  // Pods cannot start before their namespace's default service account exists.
  const hasAccount = async () =>
    (await cluster.tryKubectl(['get', 'serviceaccount', 'default'])).exitCode === 0 ? true : undefined;
  await pollUntil('the default service account', hasAccount, { deadlineMs: readyDeadlineMs });
};

const bringUp = async (cluster: StartedCluster, archives: readonly string[]): Promise<void> => {
  await step('make certificates and configurations', () => writeFiles(cluster.state));
  await Promise.all([
    step('import images into the nodes', () => importImages(cluster, archives)),
    step('start the control plane', () => startControlPlane(cluster)),
  ]);
  await step('join both nodes', () => joinNodes(cluster));
  await step('install Multus and whereabouts', () => addNetworking(cluster));
};

export const startCluster = async (options: ClusterOptions): Promise<StartedCluster> => {
  const { name, failureLogsDir } = options;
  const parts = await prepareParts();
  let started: StartedCluster | undefined;
  try {
    // A cluster of this name that a crashed run left behind.
    await removeContainers(parts.client, name);
    const state = await step('start the node containers', () => startContainers(name, parts));
    const cluster = makeStartedCluster(parts.client, state);
    started = cluster;
    const bringAllUp = async () => {
      await step(`bring up cluster ${name}`, () => bringUp(cluster, parts.archives));
      if (options.kubevirt === true) await ensureKubeVirt(cluster);
    };
    // Nodes that start mostly wait; a build does not.
    const buildClients = async () => {
      for (const name of ['helm', 'krew'] as const) await ensureComponent(name);
    };
    await Promise.all([bringAllUp(), options.helm === true && buildClients()]);
    return cluster;
  } catch (error) {
    if (started !== undefined) {
      await started.collectLogs(failureLogsDir);
      say(`the start failed; logs of every component are in ${failureLogsDir}`);
    }
    if (options.keepOnFailure !== true)
      await removeCluster(parts.client, name).catch(() => releaseDocker(parts.client));
    throw error;
  }
};
