// Notices that a pod's sandbox is another one than the ledger knows (killed, or the node rebooted), gives back what the old
// one held, and leaves the rest to planning: Multus attached everything that was listed when it made the new sandbox.
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext } from './ports.ts';
import { releaseAttachments } from './release-record.ts';

/** Returns the pod to go on with: read anew when the sandbox changed, since its network-status did too. */
export const adoptSandbox = async ({ deps, log, signal }: ReconcileContext, pod: Pod): Promise<Pod | undefined> => {
  const record = deps.ledger.find(pod.uid);
  if (record === undefined || record.sandboxMark === pod.sandboxMark) return pod;

  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const stale = record.attachments.filter(({ containerId }) => containerId !== sandbox.id);
  if (stale.length > 0) log.info({ sandbox: sandbox.id, stale: stale.length }, 'sandbox replaced');
  const kept = await releaseAttachments({ deps, log, signal }, record, stale);
  const attachments = record.attachments.filter(
    (attachment) => !stale.includes(attachment) || kept.includes(attachment),
  );
  if (attachments.length === 0) await deps.ledger.remove(pod.uid);
  // The old mark stays while something of the old sandbox is left, so that the next reconcile comes back here.
  else
    await deps.ledger.save({
      ...record,
      sandboxMark: kept.length > 0 ? record.sandboxMark : pod.sandboxMark,
      attachments,
    });
  return stale.length > 0 ? await deps.pods.refresh(pod.key, signal) : pod;
};
