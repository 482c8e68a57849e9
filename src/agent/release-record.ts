// Gives back everything that the ledger holds for a pod that no longer needs it: the pod has ended, is gone from the API, or
// got another sandbox. Nothing is forgotten before its DEL succeeded; what keeps failing is retried for ever, slowly.
import { type AttachmentRecord, mayHoldResources, type PodRecord } from '../model/attachment-record.ts';
import type { PodIdentity } from '../model/delegate-request.ts';
import { podKey } from '../model/keys.ts';
import { done, type Outcome, retry } from '../model/outcome.ts';
import { type DelResult, del } from './detach-interface.ts';
import type { ReconcileContext } from './ports.ts';
import type { Attempt } from './retry-schedule.ts';

/** After this many failures in a row a person should look: an event on the Node says so. */
const ALARMING_FAILURES = 5;

/** Releases a whole record. */
export const releaseRecord = async (context: ReconcileContext, record: PodRecord): Promise<Outcome> => {
  const { ledger, retries } = context.deps;
  const held = [...(record.leftovers ?? []), ...record.attachments];
  const kept = await releaseAttachments(context, record, held);
  if (kept.length === 0) {
    await ledger.remove(record.uid);
    retries.forgetPod(record.uid);
    return done;
  }
  if (kept.length < held.length) await ledger.save({ ...record, attachments: [], leftovers: kept });
  return retry(
    `${kept.length} interface(s) of pod uid ${record.uid} are still to be released`,
    retries.nextDueMs(record.uid),
  );
};

/** What sandboxes that were replaced still hold; the pod itself lives on with another one. */
export const releaseLeftovers = async (context: ReconcileContext, uid: string): Promise<Outcome> => {
  const { ledger, retries } = context.deps;
  const stored = ledger.find(uid);
  if (stored?.leftovers === undefined) return done;
  const { leftovers, ...record } = stored;
  const kept = await releaseAttachments(context, record, leftovers);
  if (kept.length === 0 && record.attachments.length === 0) await ledger.remove(uid);
  else if (kept.length < leftovers.length)
    await ledger.save({ ...record, ...(kept.length > 0 && { leftovers: kept }) });
  return kept.length === 0 ? done : retry('an old sandbox still holds interfaces', retries.nextDueMs(uid));
};

/** Newest first; returns what could not be released yet. */
export const releaseAttachments = async (
  context: ReconcileContext,
  owner: PodRecord,
  attachments: readonly AttachmentRecord[],
): Promise<readonly AttachmentRecord[]> => {
  const kept: AttachmentRecord[] = [];
  for (const attachment of attachments.filter(mayHoldResources).toReversed()) {
    if (!(await releaseOne(context, owner, attachment))) kept.unshift(attachment);
  }
  return kept;
};

const releaseOne = async (
  context: ReconcileContext,
  owner: PodRecord,
  attachment: AttachmentRecord,
): Promise<boolean> => {
  const { deps, log, signal } = context;
  const attempt = attemptOf(owner, attachment);
  if (deps.retries.findWaiting(attempt) !== undefined) return false;
  // A pod that was deleted by force may still run: then its interface must go with its address.
  const isAlive = await deps.sandboxes.isReady(attachment.containerId, signal);
  const result = await delInSomeName(context, owner, attachment, isAlive ? attachment.netns : '');
  const subject = { iface: attachment.interface, network: attachment.network, ownerUid: owner.uid };
  switch (result.kind) {
    case 'gone':
      deps.retries.succeeded(attempt);
      log.info(subject, 'attachment released');
      return true;
    case 'unsettled':
      deps.retries.postpone(attempt, result.waitMs, {
        kind: 'delegateUnreachable',
        message: 'settling',
      });
      return false;
    case 'failed': {
      const failures = deps.retries.failed(attempt, result.error);
      log.warn({ ...subject, failures, err: result.error }, 'releasing failed');
      if (failures === ALARMING_FAILURES) {
        const message = `interface ${attachment.interface} on ${attachment.network} of pod ${owner.namespace}/${owner.name} (uid ${owner.uid}) cannot be released, so its address stays taken: ${result.error.message}`;
        deps.events.onNode({ reason: 'ReleaseFailing', message });
      }
      return false;
    }
  }
};

/**
 * Multus wants a pod that exists in the API: the pod itself while it is there, and the agent's own pod after that. A pod that
 * has ended may go at any moment, also between our look and Multus' look.
 */
const delInSomeName = async (
  context: ReconcileContext,
  owner: PodRecord,
  attachment: AttachmentRecord,
  netns: string,
): Promise<DelResult> => {
  const { pods, self } = context.deps;
  const identity = (): PodIdentity =>
    pods.find(podKey(owner.namespace, owner.name))?.uid === owner.uid ? owner : self;
  const first = identity();
  const result = await del(context, attachment, first, netns);
  if (result.kind !== 'failed' || first === self || identity() !== self) return result;
  return await del(context, attachment, self, netns);
};

const attemptOf = (owner: PodRecord, { interface: name, network, containerId }: AttachmentRecord): Attempt => ({
  key: podKey(owner.namespace, owner.name),
  uid: owner.uid,
  verb: 'release',
  interface: name,
  network,
  signature: containerId,
});
