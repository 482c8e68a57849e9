// One interface's part of a reconcile: what is attempted, and what came of it.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { requestSignature } from '../model/network-selection.ts';
import type { Attach, Plan } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import type { Attempt, Complaint } from './retry-schedule.ts';

export interface StepResult {
  readonly verb: 'attach' | 'detach';
  readonly interface: string;
  readonly network: AttachmentRecord['network'];
  /** The attachment as it is after the step; undefined when nothing is known to exist. */
  readonly record?: AttachmentRecord;
  /** Why it did not happen; undefined when it did. */
  readonly error?: Complaint;
  /** Cleaning up after a crash or a lost answer: no news for people. */
  readonly isHousekeeping?: boolean;
}

/** Either a record that is ready to be acted on, or the result that is known without acting. */
export interface Intention {
  readonly record?: AttachmentRecord;
  readonly result?: StepResult;
}

type Subject = Pick<AttachmentRecord, 'interface' | 'network' | 'request'>;

/** An attempt that is part of a plan. */
export type PlannedAttempt = Attempt & { readonly verb: StepResult['verb'] };

export const attemptOf = (
  verb: StepResult['verb'],
  pod: Pod,
  { interface: name, network, request }: Subject,
): PlannedAttempt => ({
  key: pod.key,
  uid: pod.uid,
  verb,
  interface: name,
  network,
  signature: `${network} ${request}`,
});

export const subjectOf = ({ interface: name, selection }: Attach): Subject => ({
  interface: name,
  network: selection.network,
  request: requestSignature(selection.attributes),
});

/** What stands for the unknown request of an attachment that came with the pod. */
export const CREATION_REQUEST = 'creation';

/** Everything that a reconcile attempts: failures of anything else are history. */
export const attemptsOf = (pod: Pod, plan: Plan, unfinished: readonly AttachmentRecord[]): PlannedAttempt[] => [
  ...unfinished.map((record) => attemptOf('detach', pod, record)),
  ...plan.detach.map(({ target }) =>
    attemptOf('detach', pod, target.origin === 'hotplug' ? target.record : { ...target, request: CREATION_REQUEST }),
  ),
  ...plan.attach.map((attach) => attemptOf('attach', pod, subjectOf(attach))),
];
