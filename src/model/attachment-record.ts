// What the agent did and how to undo it, per hot-plugged interface: the content of the ledger.
import type { NetworkName } from './keys.ts';
import type { StatusEntry } from './network-status.ts';

/**
 * `adding`: ADD may have been sent; its outcome is unknown until the record says `added`.
 * `added`: the interface exists, and `entries` is what network-status must report of it.
 * `removing`: DEL may have been sent; it is repeated until it succeeds.
 * `removed`: DEL succeeded; kept until network-status no longer reports the interface, so that a crash in between
 *  cannot make the stale status entry look like an interface that somebody else attached.
 */
export type AttachmentState = 'adding' | 'added' | 'removing' | 'removed';

/** The attributes that travel beside the config in a /delegate request. */
export interface DelegateAttributes {
  readonly ips?: readonly string[];
  readonly mac?: string;
}

export interface AttachmentRecord {
  readonly interface: string;
  readonly network: NetworkName;
  readonly state: AttachmentState;
  readonly containerId: string;
  readonly netns: string;
  /** The CNI config (or list) exactly as it was sent at ADD: DEL must get the same, even if the NAD has changed since. */
  readonly config: string;
  readonly attributes: DelegateAttributes;
  /** requestSignature() of the element that asked for it: tells a changed element from an unchanged one. */
  readonly request: string;
  readonly entries: readonly StatusEntry[];
  /** The device that the element asked for. */
  readonly deviceId?: string;
  /** An answer was lost: the plugin may still be at work until then (epoch ms), so one DEL more is due after it. */
  readonly unsettledUntilMs?: number;
}

export interface PodRecord {
  readonly version: 1;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Pod.sandboxMark at the time when the sandbox was last looked up: a different one means that it may be another sandbox. */
  readonly sandboxMark: string;
  readonly attachments: readonly AttachmentRecord[];
  /** What sandboxes that were replaced still hold: to be released, and no part of what the pod has. */
  readonly leftovers?: readonly AttachmentRecord[];
}

export const isUnfinished = (record: AttachmentRecord): boolean =>
  record.state === 'adding' || record.state === 'removing';

/** Whether something may still exist in the kernel or in an address store because of this record. */
export const mayHoldResources = (record: AttachmentRecord): boolean => record.state !== 'removed';

const isUndoneAlike = (a: AttachmentRecord, b: AttachmentRecord): boolean =>
  a.interface === b.interface &&
  a.network === b.network &&
  a.containerId === b.containerId &&
  a.netns === b.netns &&
  a.config === b.config &&
  JSON.stringify(a.attributes) === JSON.stringify(b.attributes);

const heldBy = ({ attachments, leftovers = [] }: PodRecord): readonly AttachmentRecord[] =>
  [...attachments, ...leftovers].filter(mayHoldResources);

/**
 * Whether everything that has to be undone after `later` is undone after `earlier`, too. A node that lost power has lost all
 * sandboxes, so undoing is all that a record is good for then, and undoing twice does no harm.
 */
export const tellsAllToUndo = (earlier: PodRecord, later: PodRecord): boolean => {
  const known = heldBy(earlier);
  return heldBy(later).every((record) => known.some((other) => isUndoneAlike(other, record)));
};
