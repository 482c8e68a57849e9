// What a pod asks for beside what it reports, interface by interface, in the words of the planner that the agent uses.
import { type InterfaceReport, parseReports } from '../../model/interface-report.ts';
import type { NetworkName } from '../../model/keys.ts';
import { parseNetworkStatus, type StatusEntry } from '../../model/network-status.ts';
import { observeAttachments } from '../../model/observe-attachments.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import { planAttachments } from '../../model/plan-attachments.ts';
import type { Pod } from '../../model/pod.ts';
import type { ClusterPod } from '../gather/cluster-pod.ts';

export interface InterfaceStatus {
  /** Empty for an element that names none and was refused. */
  readonly interface: string;
  readonly network: string;
  /** Undefined while the annotation cannot be understood. */
  readonly desired?: boolean;
  readonly reported: boolean;
  /** Undefined while the agent has said nothing of it. */
  readonly ready?: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly since?: string;
  readonly ips: readonly string[];
  readonly mac?: string;
}

export interface PodNetworks {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string;
  readonly vm?: string;
  readonly phase: string;
  readonly ready?: boolean;
  /** Why the pod as a whole is not ready, where that is no interface's fault. */
  readonly reason?: string;
  readonly message?: string;
  readonly interfaces: readonly InterfaceStatus[];
}

export const describePodNetworks = ({ pod, nodeName, vm }: ClusterPod): PodNetworks => {
  const interfaces = interfacesOf(pod);
  const problem = podProblem(pod, interfaces);
  return {
    namespace: pod.namespace,
    pod: pod.name,
    ...(nodeName !== undefined && { node: nodeName }),
    ...(vm !== undefined && { vm }),
    phase: pod.isDeleting ? 'Terminating' : pod.phase,
    ...(pod.condition && { ready: pod.condition.status === 'True' }),
    ...problem,
    interfaces,
  };
};

/** Whether there is anything to say of its secondary networks. */
export const hasNetworks = ({ interfaces, reason }: PodNetworks): boolean =>
  interfaces.length > 0 || reason !== undefined;

const interfacesOf = (pod: Pod): readonly InterfaceStatus[] => {
  const status = parseNetworkStatus(pod.statusText);
  const observed = observeAttachments(status.state === 'read' ? status.entries : [], []);
  const reports = parseReports(pod.interfacesText);
  const desired = parseNetworks(pod.networksText, pod.namespace);
  const describe = (name: string | undefined, network: string, entries: readonly StatusEntry[]): InterfaceStatus => {
    const mac = entries.find((entry) => entry.mac)?.mac;
    return {
      interface: name ?? '',
      network,
      reported: entries.length > 0,
      ...sayOf(reports, name, network),
      ips: entries.flatMap((entry) => entry.ips ?? []),
      ...(mac !== undefined && { mac }),
    };
  };
  if (!desired.ok) {
    return observed.flatMap((target) =>
      target.origin === 'foreign' ? [] : [describe(target.interface, target.network, target.entries)],
    );
  }
  const plan = planAttachments(desired.selections, observed, {
    isLauncherPod: pod.isLauncherPod,
    deviceAttachments: 'manage', // what nobody asks for is to be shown as such, device or not
    resourceOf: () => undefined,
  });
  const rows = [
    ...plan.keep.map(({ target, selection }) => ({
      index: selection?.index ?? Number.MAX_VALUE,
      status: { ...describe(target.interface, target.network, target.entries), desired: true },
    })),
    ...plan.attach.map(({ interface: name, selection: { network, index } }) => ({
      index,
      status: { ...describe(name, network, []), desired: true },
    })),
    ...plan.refuse.map(({ interface: name, selection: { network, index } }) => ({
      index,
      status: { ...describe(name, network, []), desired: true },
    })),
    ...plan.detach.map(({ target }) => ({
      index: Number.MAX_VALUE,
      status: { ...describe(target.interface, target.network, target.entries), desired: false },
    })),
  ];
  return rows.toSorted((a, b) => a.index - b.index).map(({ status: row }) => row);
};

const sayOf = (
  reports: readonly InterfaceReport[],
  name: string | undefined,
  network: NetworkName | string,
): Pick<InterfaceStatus, 'ready' | 'reason' | 'message' | 'since'> => {
  const report = reports.find((each) => each.interface === (name ?? '') && each.network === network);
  if (report === undefined) return {};
  const { ready, reason, message, since } = report;
  return { ready, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }), since };
};

const podProblem = (pod: Pod, interfaces: readonly InterfaceStatus[]): Pick<PodNetworks, 'reason' | 'message'> => {
  const { condition } = pod;
  if (condition?.status !== 'False' || condition.reason === undefined) return {};
  if (interfaces.some((each) => each.reason === condition.reason && each.ready === false)) return {};
  return { reason: condition.reason, ...(condition.message !== undefined && { message: condition.message }) };
};
