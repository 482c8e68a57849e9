// The invariant of the whole product, as it can be checked from outside: kernel = network-status = IPAM.
// A snapshot: while something is under way a difference is no fault yet.
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import type { EmbeddedNode } from './embedded-node.ts';
import { withoutPrefix } from './ip-range.ts';
import { stringAt } from './json-values.ts';
import type { Link } from './kernel.ts';
import { type NetworkStatusEntry, networkStatusAnnotation, parseNetworkStatus } from './network-status.ts';
import type { Sandbox } from './sandbox-table.ts';

export interface Leak {
  /**
   * address: held by no interface that exists. link: reported by no network-status. entry: of the network-status, with
   * no such interface, or with other addresses or another MAC. unleased: on an interface, but not held in IPAM.
   */
  readonly kind: 'address' | 'link' | 'entry' | 'unleased';
  /** `namespace/name`, where known. */
  readonly pod?: string;
  readonly containerId?: string;
  readonly interface: string;
  readonly network: string;
  readonly address?: string;
  readonly reason?: string;
}

const podKey = (sandbox: Sandbox): string => `${sandbox.podNamespace}/${sandbox.podName}`;

const leakedAddresses = (node: EmbeddedNode): Leak[] =>
  node.ipam.inspect().flatMap(({ network, containerId, ifname, address }) => {
    const sandbox = node.cri.sandboxes.find(containerId);
    const exists = sandbox !== undefined && node.kernel.hasNetns(sandbox.netns);
    const link = exists ? node.kernel.findLink(sandbox.netns, ifname) : undefined;
    if (link?.addresses.some((each) => withoutPrefix(each) === address)) return [];
    const pod = sandbox && { pod: podKey(sandbox) };
    return [{ kind: 'address' as const, ...pod, containerId, interface: ifname, network, address }];
  });

const leaksOfLink = (node: EmbeddedNode, sandbox: Sandbox | undefined, link: Link, entries: NetworkStatusEntry[]) => {
  const { name, network = '' } = link;
  const where = {
    ...(sandbox && { pod: podKey(sandbox), containerId: sandbox.id }),
    interface: name,
    network,
  };
  const leaks: Leak[] = [];
  if (!entries.some((entry) => entry.interface === name)) leaks.push({ kind: 'link', ...where });
  if (!node.ipam.knows(network)) return leaks;
  const held = node.ipam
    .heldBy({ network, containerId: sandbox?.id ?? '', ifname: name })
    .map((lease) => lease.address);
  for (const address of link.addresses.map(withoutPrefix)) {
    if (!held.includes(address)) leaks.push({ kind: 'unleased', ...where, address });
  }
  return leaks;
};

const leakedLinks = (node: EmbeddedNode, store: ObjectStore): Leak[] =>
  node.kernel.netnsPaths().flatMap((path) => {
    const sandbox = node.cri.sandboxes.findByNetns(path);
    const ref = sandbox && { namespace: sandbox.podNamespace, name: sandbox.podName };
    const isCurrent = ref !== undefined && node.kubelet.findSandbox(ref)?.id === sandbox?.id;
    const pod = isCurrent ? store.find({ resource: 'pods', ...ref }) : undefined;
    const entries = parseNetworkStatus(pod?.metadata.annotations?.[networkStatusAnnotation]);
    const links = node.kernel.links(path).filter((link) => link.type !== 'loopback');
    return links.flatMap((link) => leaksOfLink(node, sandbox, link, entries));
  });

const differenceOf = (link: Link | undefined, entry: NetworkStatusEntry): string | undefined => {
  if (link === undefined) return 'no such interface';
  const addresses = link.addresses.map(withoutPrefix).sort().join(' ');
  const reported = [...(entry.ips ?? [])].sort().join(' ');
  if (addresses !== reported) return `the interface has addresses [${addresses}], reported are [${reported}]`;
  if (entry.mac !== undefined && entry.mac !== link.mac) return `the interface has MAC ${link.mac}`;
  return undefined;
};

const leakedEntries = (node: EmbeddedNode, pod: KubeObject): Leak[] => {
  const { name, namespace = 'default', annotations } = pod.metadata;
  if (stringAt(pod.status, 'phase') !== 'Running') return [];
  const netns = node.kubelet.findSandbox({ namespace, name })?.netns ?? '';
  return parseNetworkStatus(annotations?.[networkStatusAnnotation]).flatMap((entry) => {
    const ifname = entry.interface ?? '';
    const link = node.kernel.hasNetns(netns) ? node.kernel.findLink(netns, ifname) : undefined;
    const reason = differenceOf(link, entry);
    if (reason === undefined) return [];
    return [{ kind: 'entry' as const, pod: `${namespace}/${name}`, interface: ifname, network: entry.name, reason }];
  });
};

export const findLeaks = (nodes: readonly EmbeddedNode[], store: ObjectStore): Leak[] =>
  nodes.flatMap((node) => {
    const pods = store.list('pods').filter((pod) => stringAt(pod.spec, 'nodeName') === node.nodeName);
    return [...leakedAddresses(node), ...leakedLinks(node, store), ...pods.flatMap((pod) => leakedEntries(node, pod))];
  });
