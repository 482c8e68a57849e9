// Multus writes network-status before the first container of a sandbox starts. It gives up, and says that all is well, when it does
// not see the pod, as for a while after an outage of the API server: then the pod has none, or still that of its last sandbox. And
// people remove annotations. What Multus remembers of the sandbox is what it would have written.
import { isStatusOf, statusOfCreation } from '../model/creation-status.ts';
import { parseNetworkStatus } from '../model/network-status.ts';
import { done, type Outcome, waitForChange } from '../model/outcome.ts';
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';
import { refuseUnreadableStatus } from './refuse-pod.ts';

/** Of a pod that has none. */
export const restoreStatus = async (context: ReconcileContext, pod: Pod): Promise<Outcome> => {
  const { deps, signal } = context;
  // Multus can be told to write none in some namespaces.
  if (!pod.networksText?.trim() && pod.interfacesText === undefined)
    return waitForChange('the pod has no network-status and asks for no networks');

  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const isWritten = await writeStatusOf(context, pod, sandbox);
  if (isWritten) return done; // the write brings the pod back
  const message = `the pod has no network-status, and Multus remembers nothing of its sandbox ${sandbox.id}; check that Multus makes the networks of this node`;
  return await refuseUnreadableStatus(context, pod, message);
};

/** Of a pod with a new sandbox. Returns the pod as it is then. */
export const correctStatus = async (
  context: ReconcileContext,
  pod: Pod,
  sandbox: Sandbox,
): Promise<Pod | undefined> => {
  const isWritten = await writeStatusOf(context, pod, sandbox);
  return isWritten ? context.deps.pods.find(pod.key) : pod;
};

/** Returns whether there was something to write: not if the status is the right one, nor if nothing is known. */
const writeStatusOf = async (context: ReconcileContext, pod: Pod, sandbox: Sandbox): Promise<boolean> => {
  const { deps, log, signal } = context;
  const created = await deps.creation.findAttachments(sandbox.id);
  const status = parseNetworkStatus(pod.statusText);
  if (created === undefined || (status.state === 'read' && isStatusOf(status.entries, created))) return false;
  const fault = status.state === 'absent' ? 'was missing' : 'was that of another sandbox';
  await deps.writeStatus(pod, { entries: statusOfCreation(created) }, signal);
  log.warn({ sandbox: sandbox.id, fault, networks: created.map(({ network }) => network) }, 'network-status restored');
  const message = `network-status ${fault}, and was written anew from what Multus remembers`;
  deps.events.onPod(pod, { type: 'Normal', reason: 'RestoredStatus', message });
  return true;
};
