// What can be seen of one pod at one moment, by every witness there is: the kernel, the IPAM store, network-status, the
// Ready report, the condition and the events. Plain data, so that comparing and drawing it stay pure.
import { type InterfaceReport, parseReports } from '../../model/interface-report.ts';
import type { KubeObject } from '../api/object-store.ts';
import type { EmbeddedCluster } from '../cluster.ts';
import { withoutPrefix } from '../node/ip-range.ts';
import { objectAt, objectsAt, parseObject, stringAt } from '../node/json-values.ts';
import type { PodRef } from '../node/kubelet.ts';
import { type NetworkStatusEntry, networksAnnotation } from '../node/network-status.ts';

export interface InterfaceRow {
  readonly name: string;
  readonly kernel?: { readonly network: string; readonly mac: string; readonly addresses: readonly string[] };
  readonly status?: { readonly network: string; readonly addresses: readonly string[]; readonly isDefault: boolean };
  readonly report?: Pick<InterfaceReport, 'network' | 'ready' | 'reason' | 'message'>;
  /** What the IPAM store holds for this interface of the pod. */
  readonly leased: readonly string[];
}

export interface Lease {
  readonly network: string;
  readonly address: string;
  readonly interface: string;
}

export interface SeenEvent {
  readonly uid: string;
  readonly component: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface Snapshot {
  readonly pod?: { readonly uid: string; readonly phase: string; readonly networks: string | undefined };
  readonly rows: readonly InterfaceRow[];
  /** Every address in use but those of the agent's own pod, whoever holds it. */
  readonly leases: readonly Lease[];
  readonly condition?: Condition;
  readonly events: readonly SeenEvent[];
  /** Where kernel, IPAM and network-status contradict each other, anywhere in the cluster. */
  readonly leaks: readonly string[];
}

export const readyCondition = 'dynamic-networks.io/NetworksReady';
export const interfacesAnnotation = 'dynamic-networks.io/interfaces';

export const takeSnapshot = (cluster: EmbeddedCluster, ref: PodRef): Snapshot => {
  const pod = cluster.objects.find({ resource: 'pods', ...ref });
  const nameOf = networkNames(cluster);
  const agentSandbox = cluster.kubelet.findSandbox(cluster.agentPod)?.id;
  const held = cluster.ipam
    .inspect()
    .filter(({ containerId }) => containerId !== agentSandbox)
    .map((lease) => ({ ...lease, network: nameOf(lease.network) }));
  const condition = pod && objectsAt(pod.status, 'conditions').find((each) => each['type'] === readyCondition);
  return {
    ...(pod && { pod: podOf(pod) }),
    rows: pod === undefined ? [] : rowsOf(cluster, ref, pod, nameOf),
    leases: held.map(({ network, address, ifname }) => ({ network, address, interface: ifname })),
    ...(condition && {
      condition: {
        status: stringAt(condition, 'status'),
        reason: stringAt(condition, 'reason'),
        message: stringAt(condition, 'message'),
      },
    }),
    events: cluster.events(ref).toSorted(byAge).map(eventOf),
    leaks: cluster.leaks().map((leak) => JSON.stringify(leak)),
  };
};

const podOf = ({ metadata, status }: KubeObject): NonNullable<Snapshot['pod']> => ({
  uid: metadata.uid,
  phase: metadata.deletionTimestamp === undefined ? stringAt(status, 'phase') : 'Terminating',
  networks: metadata.annotations?.[networksAnnotation],
});

/** Kernel and IPAM know a network by the name in its CNI config, people by `namespace/name` of its definition. */
const networkNames = (cluster: EmbeddedCluster): ((cniName: string) => string) => {
  const definitions = cluster.objects.list('network-attachment-definitions');
  const names = new Map(definitions.map((nad) => [cniNameOf(nad), `${nad.metadata.namespace}/${nad.metadata.name}`]));
  return (cniName) => names.get(cniName) ?? cniName;
};

const cniNameOf = (definition: KubeObject): string => {
  try {
    return stringAt(parseObject(stringAt(definition.spec, 'config')), 'name') || definition.metadata.name;
  } catch {
    return definition.metadata.name;
  }
};

const rowsOf = (
  cluster: EmbeddedCluster,
  ref: PodRef,
  pod: KubeObject,
  nameOf: (cniName: string) => string,
): InterfaceRow[] => {
  const entries = cluster.networkStatus(ref);
  const links = cluster.links(ref);
  const reports = parseReports(pod.metadata.annotations?.[interfacesAnnotation]);
  const sandbox = cluster.kubelet.findSandbox(ref)?.id;
  const leases = cluster.ipam.inspect().filter(({ containerId }) => containerId === sandbox);
  const names = [...entries, ...reports].map((each) => each.interface ?? '').concat(links.map(({ name }) => name));
  return [...new Set(names)].map((name) => {
    const entry = entries.find((each) => each.interface === name);
    const link = links.find((each) => each.name === name);
    const report = reports.find((each) => each.interface === name);
    return {
      name,
      ...(link && {
        kernel: {
          network: nameOf(link.network ?? ''),
          mac: link.mac,
          addresses: link.addresses.map(withoutPrefix),
        },
      }),
      ...(entry && { status: statusOf(entry) }),
      ...(report && { report }),
      leased: leases.filter(({ ifname }) => ifname === name).map(({ address }) => address),
    };
  });
};

const statusOf = ({ name, ips = [], default: isDefault = false }: NetworkStatusEntry) => ({
  network: name,
  addresses: ips,
  isDefault,
});

const byAge = (a: KubeObject, b: KubeObject): number =>
  Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);

const eventOf = (event: KubeObject): SeenEvent => ({
  uid: event.metadata.uid,
  component: stringAt(objectAt(event, 'source'), 'component'),
  type: stringAt(event, 'type'),
  reason: stringAt(event, 'reason'),
  message: stringAt(event, 'message'),
});
