// Whether what somebody waits for has come, can still come, or cannot come without another edit.
import type { ClusterPod } from '../gather/cluster-pod.ts';
import { describePodNetworks, type InterfaceStatus, type PodNetworks } from './pod-networks.ts';

export type Verdict =
  | { readonly kind: 'met' }
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'hopeless'; readonly why: string; readonly next: string };

/** Time does not heal these; only an edit does. */
const NEEDS_EDIT = new Set([
  'InvalidNetworks',
  'InterfaceNameTaken',
  'InterfaceNameRequired',
  'NotHotPluggable',
  'InvalidNetworkConfig',
  'HostNetworkPod',
  'StatusUnreadable',
]);

export type Goal = 'ready' | 'gone';

/** Without names, all interfaces that the pod asks for. */
export const judge = (found: ClusterPod | undefined, goal: Goal, names: readonly string[]): Verdict => {
  if (found === undefined) {
    return goal === 'gone' ? { kind: 'met' } : { kind: 'hopeless', why: 'the pod is gone', next: 'wait for another' };
  }
  const status = describePodNetworks(found);
  return goal === 'ready' ? judgeReady(status, names) : judgeGone(status, names);
};

const judgeReady = (status: PodNetworks, names: readonly string[]): Verdict => {
  if (status.reason !== undefined && NEEDS_EDIT.has(status.reason)) {
    return hopeless(`${status.reason}: ${status.message ?? ''}`, status);
  }
  const wanted = names.length === 0 ? status.interfaces.filter(({ desired }) => desired !== false) : [];
  const missing = names.filter((name) => !status.interfaces.some((each) => each.interface === name));
  if (missing.length > 0) return hopeless(`the pod asks for no interface ${missing.join(', ')}`, status);
  const concerned = [...wanted, ...status.interfaces.filter((each) => names.includes(each.interface))];
  const late = concerned.find((each) => !(each.ready === true && each.reported && each.desired !== false));
  if (late === undefined) return { kind: 'met' };
  if (late.ready === false && late.reason !== undefined && NEEDS_EDIT.has(late.reason)) {
    return hopeless(reasonText(late), status);
  }
  return { kind: 'waiting', why: reasonText(late, status.node) };
};

const judgeGone = (status: PodNetworks, names: readonly string[]): Verdict => {
  const left = status.interfaces.find((each) => names.length === 0 || names.includes(each.interface));
  if (left === undefined) return { kind: 'met' };
  if (left.desired === true) return hopeless(`the pod still asks for ${left.interface} on ${left.network}`, status);
  return { kind: 'waiting', why: reasonText(left, status.node) };
};

const hopeless = (why: string, { namespace, pod }: PodNetworks): Verdict => ({
  kind: 'hopeless',
  why,
  next: `kubectl dnet status ${pod} -n ${namespace} shows the whole picture`,
});

const reasonText = ({ interface: name, network, reason, message }: InterfaceStatus, node?: string): string => {
  const subject = `${name || 'an interface'} on ${network}`;
  if (reason !== undefined) return `${subject}: ${reason}: ${message ?? ''}`;
  return `${subject}: the agent${node === undefined ? '' : ` of node ${node}`} has not reported it yet`;
};
