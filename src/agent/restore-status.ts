// A pod that runs has a network-status: Multus writes it before the first container starts. It gives up, and says that all is well,
// when it does not see the pod, as for a while after an outage of the API server; and people remove annotations. What Multus
// remembers of the sandbox says the same.
import { statusOfCreation } from '../model/creation-status.ts';
import { done, type Outcome, waitForChange } from '../model/outcome.ts';
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext } from './ports.ts';
import { refuseUnreadableStatus } from './refuse-pod.ts';

export const restoreStatus = async (context: ReconcileContext, pod: Pod): Promise<Outcome> => {
  const { deps, log, signal } = context;
  // Multus can be told to write none in some namespaces.
  if (!pod.networksText?.trim() && pod.interfacesText === undefined)
    return waitForChange('the pod has no network-status and asks for no networks');

  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const created = await deps.creation.findAttachments(sandbox.id);
  if (created === undefined) {
    const message = `the pod has no network-status, and Multus remembers nothing of its sandbox ${sandbox.id}; check that Multus makes the networks of this node`;
    return await refuseUnreadableStatus(context, pod, message);
  }
  await deps.writeStatus(pod, { entries: statusOfCreation(created) }, signal); // brings the pod back
  log.warn({ sandbox: sandbox.id, networks: created.map(({ network }) => network) }, 'network-status restored');
  const message = 'network-status was missing, and was written anew from what Multus remembers';
  deps.events.onPod(pod, { type: 'Normal', reason: 'RestoredStatus', message });
  return done;
};
