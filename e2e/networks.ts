// Networks for stories. CNI names are unique per namespace, so that what an earlier run left in a node's address store
// cannot be mistaken for this run's; bridges are named after the story alone, so that runs do not pile them up on the nodes.
import { createHash } from 'node:crypto';
import { deviceResource } from './cluster/layout.ts';

export type Ipam = 'host-local' | 'whereabouts' | 'none';

export type Network = {
  readonly name: string;
  readonly namespace: string;
  /** `namespace/name`, as network-status has it. */
  readonly fullName: string;
  readonly cniName: string;
  readonly ipam: Ipam;
  /** The first three octets of its /24, with a dot at the end. */
  readonly prefix: string;
  /** The CNI configuration, as its definition has it. */
  readonly config: string;
  readonly manifest: object;
};

export type NetworkPlace = {
  readonly story: string;
  readonly namespace: string;
  readonly prefix: string;
};

/** Where the API has its definition. */
export const networkPath = ({ namespace, name }: Pick<Network, 'namespace' | 'name'>): string =>
  `/apis/k8s.cni.cncf.io/v1/namespaces/${namespace}/network-attachment-definitions/${name}`;

type Plugin = Readonly<Record<string, unknown>>;

const bridgeName = (story: string, name: string): string =>
  `e2e-${createHash('sha256').update(`${story}/${name}`).digest('hex').slice(0, 8)}`;

const hostLocal = (prefix: string): object => ({
  type: 'host-local',
  ranges: [[{ subnet: `${prefix}0/24`, rangeStart: `${prefix}10`, rangeEnd: `${prefix}200` }]],
});

const networkOf = (
  name: string,
  place: NetworkPlace,
  ipam: Ipam,
  cniConfig: object,
  annotations?: Readonly<Record<string, string>>,
): Network => {
  const cniName = `${place.namespace}-${name}`;
  const config = JSON.stringify(cniConfig);
  return {
    name,
    namespace: place.namespace,
    fullName: `${place.namespace}/${name}`,
    cniName,
    ipam,
    prefix: place.prefix,
    config,
    manifest: {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { name, namespace: place.namespace, ...(annotations !== undefined && { annotations }) },
      spec: { config },
    },
  };
};

const single = (name: string, place: NetworkPlace, ipam: Ipam, plugin: Plugin): Network =>
  networkOf(name, place, ipam, { cniVersion: '0.3.1', name: `${place.namespace}-${name}`, ...plugin });

/** A bridge on each node, with host-local addresses. Honours `ips` and `mac`. */
export const bridgeNetwork = (name: string, place: NetworkPlace): Network =>
  single(name, place, 'host-local', {
    type: 'bridge',
    bridge: bridgeName(place.story, name),
    capabilities: { ips: true, mac: true },
    ipam: hostLocal(place.prefix),
  });

/** The same, but its config has no name: Multus calls it after the definition. */
export const namelessNetwork = (name: string, place: NetworkPlace): Network => ({
  ...networkOf(name, place, 'host-local', {
    cniVersion: '0.3.1',
    type: 'bridge',
    bridge: bridgeName(place.story, name),
    ipam: hostLocal(place.prefix),
  }),
  cniName: name,
});

/** Addresses from whereabouts: unique over all nodes, kept in the API. */
export const whereaboutsNetwork = (name: string, place: NetworkPlace): Network => whereabouts(name, place, {});

/**
 * The same, with the pool as its only book. By default whereabouts keeps a second one, of addresses in overlapping ranges, and
 * when writing the pool fails while writing the second book succeeds, as happens around the end of an etcd, 0.9.2 calls the ADD
 * a success: the pod has an address that its pool does not know, and nothing that is told of it can be seen from outside.
 */
export const poolOnlyNetwork = (name: string, place: NetworkPlace): Network =>
  whereabouts(name, place, { enable_overlapping_ranges: false });

const whereabouts = (name: string, place: NetworkPlace, settings: object): Network =>
  single(name, place, 'whereabouts', {
    type: 'bridge',
    bridge: bridgeName(place.story, name),
    ipam: { type: 'whereabouts', range: `${place.prefix}0/24`, ...settings },
  });

/** Straight onto the network that the nodes share, with addresses that the pod itself asks for. */
export const macvlanNetwork = (name: string, place: NetworkPlace): Network =>
  single(name, place, 'none', {
    type: 'macvlan',
    master: 'eth0',
    mode: 'bridge',
    capabilities: { ips: true, mac: true },
    ipam: { type: 'static' },
  });

/**
 * Like SR-IOV: needs a device of the harness' device plugin, which the pod's container must ask for (`devices` of its options). Its results name the
 * device as far as the CNI version allows. Only after `ensureDeviceNetwork`.
 */
export const deviceNetwork = (name: string, place: NetworkPlace): Network =>
  networkOf(
    name,
    place,
    'host-local',
    {
      cniVersion: '1.1.0',
      name: `${place.namespace}-${name}`,
      type: 'sriov-like',
      master: 'eth0',
      mode: 'bridge',
      capabilities: { ips: true, mac: true, deviceID: true },
      ipam: hostLocal(place.prefix),
    },
    { 'k8s.v1.cni.cncf.io/resourceName': deviceResource },
  );

/** A list of plugins: a bridge, then tuning. */
export const listNetwork = (name: string, place: NetworkPlace): Network =>
  networkOf(name, place, 'host-local', {
    cniVersion: '0.3.1',
    name: `${place.namespace}-${name}`,
    plugins: [
      { type: 'bridge', bridge: bridgeName(place.story, name), ipam: hostLocal(place.prefix) },
      { type: 'tuning', mtu: 1400 },
    ],
  });

/** A master that no node has: every ADD fails. A `bridgeNetwork` of the same name mends it. */
export const brokenNetwork = (name: string, place: NetworkPlace): Network =>
  single(name, place, 'host-local', { type: 'macvlan', master: 'e2e-nowhere', ipam: hostLocal(place.prefix) });

/** A bridge with a single address to give. */
export const tinyNetwork = (name: string, place: NetworkPlace): Network => {
  const only = `${place.prefix}10`;
  return single(name, place, 'host-local', {
    type: 'bridge',
    bridge: bridgeName(place.story, name),
    ipam: { type: 'host-local', ranges: [[{ subnet: `${place.prefix}0/24`, rangeStart: only, rangeEnd: only }]] },
  });
};

/** The network of the nodes' own addresses: a definition without a config, whatever it is asked to be called. */
export const nodeNetwork = (_name: string, { namespace }: NetworkPlace): Network => ({
  name: 'node-network',
  namespace,
  fullName: `${namespace}/node-network`,
  cniName: 'node-network',
  ipam: 'none',
  prefix: '',
  config: '',
  manifest: {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'node-network', namespace },
  },
});
