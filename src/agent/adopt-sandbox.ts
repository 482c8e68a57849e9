// Notices that a pod's sandbox is another one than the ledger knows (killed, or the node rebooted). What the old one held is
// set apart to be released, and the rest is left to planning: Multus attached everything that was listed when it made the
// new sandbox.
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext } from './ports.ts';

/** Returns the pod to go on with: read anew when the sandbox changed, since its network-status did too. */
export const adoptSandbox = async ({ deps, log, signal }: ReconcileContext, pod: Pod): Promise<Pod | undefined> => {
  const record = deps.ledger.find(pod.uid);
  if (record === undefined || record.sandboxMark === pod.sandboxMark) return pod;

  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const attachments = record.attachments.filter(({ containerId }) => containerId === sandbox.id);
  const stale = record.attachments.filter(({ containerId }) => containerId !== sandbox.id);
  const leftovers = [...(record.leftovers ?? []), ...stale];
  await deps.ledger.save({
    ...record,
    sandboxMark: pod.sandboxMark,
    attachments,
    ...(leftovers.length > 0 && { leftovers }),
  });
  if (stale.length === 0) return pod;
  log.info({ sandbox: sandbox.id, stale: stale.length }, 'sandbox replaced');
  return await deps.pods.refresh(pod.key, signal);
};
