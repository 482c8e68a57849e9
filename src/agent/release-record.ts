// Gives back everything that the ledger holds for a pod that no longer needs it: the pod has ended, is gone from the API, or
// got another sandbox. Nothing is forgotten before its DEL succeeded; what keeps failing is retried for ever, slowly.
import { type AttachmentRecord, mayHoldResources, type PodRecord } from '../model/attachment-record.ts';
import type { PodIdentity } from '../model/delegate-request.ts';
import { podKey } from '../model/keys.ts';
import { done, type Outcome, retry } from '../model/outcome.ts';
import { del } from './detach-interface.ts';
import type { ReconcileContext } from './ports.ts';
import type { Attempt } from './retry-schedule.ts';

/** After this many failures in a row a person should look: an event on the Node says so. */
const ALARMING_FAILURES = 5;

/** Releases a whole record. `identity` must be a pod that exists in the API. */
export const releaseRecord = async (
  context: ReconcileContext,
  record: PodRecord,
  identity: PodIdentity,
): Promise<Outcome> => {
  const { ledger, retries } = context.deps;
  const kept = await releaseAttachments(context, record, record.attachments, identity);
  if (kept.length === 0) {
    await ledger.remove(record.uid);
    retries.forgetPod(record.uid);
    return done;
  }
  if (kept.length < record.attachments.length) await ledger.save({ ...record, attachments: kept });
  return retry(
    `${kept.length} interface(s) of pod uid ${record.uid} are still to be released`,
    retries.nextDueMs(record.uid),
  );
};

/** Newest first; returns what could not be released yet. */
export const releaseAttachments = async (
  context: ReconcileContext,
  owner: PodRecord,
  attachments: readonly AttachmentRecord[],
  identity: PodIdentity,
): Promise<readonly AttachmentRecord[]> => {
  const kept: AttachmentRecord[] = [];
  for (const attachment of attachments.filter(mayHoldResources).toReversed()) {
    if (!(await releaseOne(context, owner, attachment, identity))) kept.unshift(attachment);
  }
  return kept;
};

const releaseOne = async (
  context: ReconcileContext,
  owner: PodRecord,
  attachment: AttachmentRecord,
  identity: PodIdentity,
): Promise<boolean> => {
  const { deps, log, signal } = context;
  const attempt = attemptOf(owner, attachment);
  if (deps.retries.findWaiting(attempt) !== undefined) return false;
  // A pod that was deleted by force may still run: then its interface must go with its address.
  const isAlive = await deps.sandboxes.isReady(attachment.containerId, signal);
  const result = await del(context, attachment, identity, isAlive ? attachment.netns : '');
  const subject = { iface: attachment.interface, network: attachment.network, podUid: owner.uid };
  switch (result.kind) {
    case 'gone':
      deps.retries.succeeded(attempt);
      log.info(subject, 'attachment released');
      return true;
    case 'unsettled':
      deps.retries.postpone(attempt, attachment.unsettledUntilMs ?? 0, {
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

const attemptOf = (owner: PodRecord, { interface: name, network, containerId }: AttachmentRecord): Attempt => ({
  key: podKey(owner.namespace, owner.name),
  uid: owner.uid,
  verb: 'detach',
  interface: name,
  network,
  signature: containerId,
});
