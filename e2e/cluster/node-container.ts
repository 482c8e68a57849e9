// A node as a testcontainers container that is not privileged.
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer, Wait } from 'testcontainers';
import { inNode, type NodeName } from './layout.ts';
import { componentsDir } from './paths.ts';

export const clusterLabel = 'dynamic-networks.cluster';
export const nodeLabel = 'dynamic-networks.node';
export const networkName = (cluster: string): string => `dynamic-networks-${cluster}`;

/** A bridge of the cluster's own; its name is fixed, so that it can be found again without state. */
export const startNetwork = (cluster: string): Promise<StartedNetwork> =>
  new Network({ nextUuid: () => networkName(cluster) }).start();

class NodeContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    // What a kubelet needs short of --privileged, which fails on machines without CAP_SYS_RESOURCE.
    // testcontainers has no calls for the paths and the cgroup namespace.
    Object.assign(this.hostConfig, {
      CapAdd: ['ALL'],
      CapDrop: ['SYS_RESOURCE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      MaskedPaths: [],
      ReadonlyPaths: [],
      CgroupnsMode: 'private',
      // Privileged pods (Multus) are allowed every device, and cannot be allowed more than their node.
      DeviceCgroupRules: ['a *:* rwm'],
      Tmpfs: { '/run': 'exec', '/tmp': 'exec' },
    });
  }
}

export const startNodeContainer = (options: {
  readonly image: string;
  readonly cluster: string;
  readonly node: NodeName;
  readonly network: StartedNetwork;
  readonly configDir: string;
  readonly logDir: string;
  readonly binDir: string;
  readonly imagesDir: string;
}): Promise<StartedTestContainer> => {
  const { image, cluster, node, network } = options;
  return new NodeContainer(image)
    .withName(`dynamic-networks-${cluster}-${node}`)
    .withHostname(node)
    .withLabels({ [clusterLabel]: cluster, [nodeLabel]: node })
    .withNetwork(network)
    .withBindMounts([
      { source: options.configDir, target: inNode.config, mode: 'ro' },
      { source: options.logDir, target: inNode.logs, mode: 'rw' },
      { source: options.binDir, target: inNode.binaries, mode: 'ro' },
      { source: componentsDir(), target: inNode.components, mode: 'ro' },
      { source: options.imagesDir, target: inNode.images, mode: 'ro' },
    ])
    .withWaitStrategy(Wait.forLogMessage('node is prepared'))
    .withStartupTimeout(60_000)
    .start();
};
