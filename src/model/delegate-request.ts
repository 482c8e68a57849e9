import type { DelegateAttributes } from './attachment-record.ts';

/** In whose name a command is sent: Multus insists on a pod that exists in the API. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** One CNI command for one interface of one sandbox. */
export interface DelegateRequest {
  readonly pod: PodIdentity;
  readonly containerId: string;
  /** Empty for a DEL whose network namespace is gone. */
  readonly netns: string;
  readonly interface: string;
  readonly config: string;
  readonly attributes: DelegateAttributes;
}
