// A cluster that runs: what tests and the command line do with it. It is made from plain state, so that another process
// than the one that started it can use it as well.
import { type ContainerRuntimeClient, getContainerRuntimeClient } from 'testcontainers';
import { type ClusterState, removeClusterDir } from './cluster-state.ts';
import { findDocker, releaseDocker } from './docker-daemon.ts';
import { type BaseImage, ensureBaseImage, saveImage } from './images.ts';
import type { NodeName } from './layout.ts';
import { collectLogs } from './logs.ts';
import { type ClusterNode, type Link, makeNode } from './node.ts';
import { clusterLabel, networkName } from './node-container.ts';
import { ensureNodeImage } from './node-image.ts';
import { step } from './progress.ts';
import { type CommandResult, runCommand, tryCommand } from './run-command.ts';

export type StartedCluster = ReturnType<typeof makeStartedCluster>;

export const makeStartedCluster = (client: ContainerRuntimeClient, state: ClusterState) => {
  const nodes = state.nodes.map(({ name, containerId, ip }) => makeNode(client, name, containerId, ip));

  const node = (name: NodeName | string): ClusterNode => {
    const found = nodes.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`node: expected one of ${nodes.map((one) => one.name)}, got ${name}`);
    return found;
  };

  const kubectlCommand = (args: readonly string[]) => [
    state.kubectlPath,
    '--kubeconfig',
    state.kubeconfigPath,
    ...args,
  ];

  const kubectl = (args: readonly string[], stdin?: string): Promise<string> =>
    runCommand(kubectlCommand(args), stdin === undefined ? {} : { stdin });

  const nodeOfPod = async (podUid: string): Promise<ClusterNode> => {
    const path = `jsonpath={.items[?(@.metadata.uid=="${podUid}")].spec.nodeName}`;
    const nodeName = await kubectl(['get', 'pods', '--all-namespaces', '-o', path]);
    if (nodeName === '') throw new Error(`no pod with uid ${podUid} on any node`);
    return node(nodeName);
  };

  return {
    name: state.name,
    state,
    kubeconfigPath: state.kubeconfigPath,
    nodes,
    node,
    nodeOfPod,
    kubectl,
    tryKubectl: (args: readonly string[], stdin?: string): Promise<CommandResult> =>
      tryCommand(kubectlCommand(args), stdin === undefined ? {} : { stdin }),
    apply: (manifest: string): Promise<string> => kubectl(['apply', '--filename', '-'], manifest),

    baseImage: async (): Promise<BaseImage> => ensureBaseImage(client, await ensureNodeImage(client)),

    /** Copies an image from Docker into every node. */
    loadImage: async (tag: string): Promise<void> => {
      const archive = await saveImage(client, tag);
      await Promise.all(nodes.map((one) => one.importImage(archive)));
    },

    netns: async (podUid: string): Promise<readonly Link[]> => (await nodeOfPod(podUid)).netns(podUid),

    /** Address -> holder, over all nodes: host-local ranges are per node, so an address may appear on each. */
    hostLocalStore: async (network: string): Promise<readonly { node: string; address: string; holder: string }[]> => {
      const perNode = nodes.map(async (one) =>
        Object.entries(await one.hostLocalStore(network)).map(([address, holder]) => ({
          node: one.name,
          address,
          holder,
        })),
      );
      return (await Promise.all(perNode)).flat();
    },

    collectLogs: (dir: string): Promise<void> => collectLogs(client, state, dir),
    stop: (): Promise<void> => removeCluster(client, state.name),
  };
};

/** Already gone, or being removed by another clean-up at this moment: both are what we want. */
const ignoreGone = async (removal: Promise<unknown>): Promise<void> => {
  try {
    await removal;
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
    if (status !== 404 && status !== 409) throw error;
  }
};

/** By label and name, so that it also clears up after a crash; does nothing where there is nothing. */
export const removeContainers = async (client: ContainerRuntimeClient, name: string): Promise<void> => {
  const docker = client.container.dockerode;
  const containers = await docker.listContainers({ all: true, filters: { label: [`${clusterLabel}=${name}`] } });
  await Promise.all(containers.map(({ Id }) => ignoreGone(docker.getContainer(Id).remove({ force: true, v: true }))));
  const networks = await docker.listNetworks({ filters: { name: [`^${networkName(name)}$`] } });
  await Promise.all(networks.map(({ Id }) => ignoreGone(docker.getNetwork(Id).remove())));
  await removeClusterDir(name);
};

export const removeCluster = async (client: ContainerRuntimeClient, name: string): Promise<void> => {
  await step(`remove cluster ${name}`, () => removeContainers(client, name));
  await releaseDocker(client);
};

/** Whatever runs under this name, also half of it; nothing if no Docker answers. */
export const removeClusterByName = async (name: string): Promise<void> => {
  const client = await findRuntime();
  if (client !== undefined) await removeCluster(client, name);
};

/** `undefined` when no Docker answers, which means that nothing runs. */
export const findRuntime = async (): Promise<ContainerRuntimeClient | undefined> =>
  (await findDocker()) ? getContainerRuntimeClient() : undefined;

export const attachCluster = async (state: ClusterState): Promise<StartedCluster> => {
  const client = await findRuntime();
  if (client === undefined) throw new Error(`cluster ${state.name} cannot run: no Docker daemon answers`);
  return makeStartedCluster(client, state);
};
