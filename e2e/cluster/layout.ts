// Fixed names, addresses and paths of the cluster.

export type NodeName = 'control-plane' | 'worker';
export const nodeNames: readonly NodeName[] = ['control-plane', 'worker'];

export const serviceCidr = '10.96.0.0/16';
/** Where a cluster's name service is by custom. */
export const dnsIp = '10.96.0.10';
/** First address of the service range: the API server as pods see it. */
export const apiServiceIp = '10.96.0.1';
export const podCidr = '10.244.0.0/16';
export const podCidrOf: Readonly<Record<NodeName, string>> = {
  'control-plane': '10.244.0.0/24',
  worker: '10.244.1.0/24',
};
export const apiPort = 6443;

/** Paths inside a node. */
export const inNode = {
  config: '/etc/cluster',
  logs: '/var/log/cluster',
  binaries: '/opt/kubernetes/bin',
  /** Every component of the cache: an optional one may be built while the node runs already. */
  components: '/opt/components',
  images: '/images',
  containerdSocket: '/run/containerd/containerd.sock',
  multusSocket: '/run/multus/multus.sock',
  hostLocalStore: '/var/lib/cni/networks',
  /** Of the pods' default network, where runtime and Multus read it. */
  defaultNetwork: '/etc/cni/net.d/10-default-network.conf',
  cniPlugins: '/opt/cni/bin',
} as const;

export const apiServerUrl = (controlPlaneIp: string): string => `https://${controlPlaneIp}:${apiPort}`;

/** What the device plugin of the harness offers on each node; manifests/device-network.yaml says so too. */
export const deviceResource = 'example.com/vf';
export const devicesPerNode = 8;
