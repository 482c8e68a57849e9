// The little that the agent needs to know of a pod. Informers keep this instead of whole pod objects: it bounds the agent's
// memory, and no code past the edge can come to depend on anything else.
import type { PodKey } from './keys.ts';

export interface Pod {
  readonly key: PodKey;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The uid that the container runtime knows it by: a static pod's differs from that of its mirror in the API. */
  readonly runtimeUid: string;
  readonly resourceVersion: string;
  readonly networksText: string | undefined;
  readonly statusText: string | undefined;
  readonly interfacesText: string | undefined;
  readonly phase: string;
  /** The node's own addresses, as the kubelet tells them; none before the pod is on a node. */
  readonly hostIps: readonly string[];
  readonly isHostNetwork: boolean;
  readonly isDeleting: boolean;
  /** Every container that was ever started has ended, and none will start again. */
  readonly hasEnded: boolean;
  readonly isLauncherPod: boolean;
  readonly hasReadinessGate: boolean;
  /** False between the loss of a sandbox and the start of its successor: until then the status still tells of the old one. */
  readonly hasSandbox: boolean;
  /** Differs whenever the sandbox may be another one; see sandboxMark in kube/pod-view.ts. */
  readonly sandboxMark: string;
  readonly condition: PodCondition | undefined;
}

export const READY_CONDITION = 'dynamic-networks.io/NetworksReady';
export const INTERFACES_ANNOTATION = 'dynamic-networks.io/interfaces';

export interface PodCondition {
  /** Position in status.conditions, for a JSON patch. */
  readonly index: number;
  readonly status: string;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

/** What the agent is to do with a pod at this moment of its life. */
export type Stage = 'starting' | 'running' | 'stopping' | 'ended';

export const stageOf = (pod: Pod): Stage => {
  if (pod.hasEnded) return 'ended';
  if (pod.isDeleting) return 'stopping';
  return pod.phase === 'Running' && pod.hasSandbox ? 'running' : 'starting';
};
