// Notices that a pod's sandbox is another one than the ledger knows (killed, or the node rebooted). What the old one held is
// set apart to be released, and the rest is left to planning: Multus attached everything that was listed when it made the
// new sandbox.
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';
import { correctStatus } from './restore-status.ts';

/** Returns the pod to go on with: read anew when the sandbox changed, since its network-status did too. */
export const adoptSandbox = async (context: ReconcileContext, pod: Pod): Promise<Pod | undefined> => {
  const { deps, log, signal } = context;
  const record = deps.ledger.find(pod.uid);
  if (record === undefined || record.sandboxMark === pod.sandboxMark) return pod;

  // Something happened to it: what is known of it, or remembered by Multus, may be of the one before.
  deps.sandboxes.forget(pod.runtimeUid);
  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const attachments = record.attachments.filter(({ containerId }) => containerId === sandbox.id);
  const stale = record.attachments.filter(({ containerId }) => containerId !== sandbox.id);
  const leftovers = [...(record.leftovers ?? []), ...stale];
  const adopted = stale.length === 0 ? pod : await lookAnew(context, pod, sandbox);
  await deps.ledger.save({
    ...record,
    sandboxMark: pod.sandboxMark,
    attachments,
    ...(leftovers.length > 0 && { leftovers }),
  });
  if (stale.length > 0) log.info({ sandbox: sandbox.id, stale: stale.length }, 'sandbox replaced');
  return adopted;
};

/** Not after the record is saved: an agent that is ended in between would take the old status for that of the new sandbox. */
const lookAnew = async (context: ReconcileContext, pod: Pod, sandbox: Sandbox): Promise<Pod | undefined> => {
  const fresh = await context.deps.pods.refresh(pod.key, context.signal);
  return fresh && (await correctStatus(context, fresh, sandbox));
};
