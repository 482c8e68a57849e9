// Pods with which nothing can be done until somebody edits something: they are told why, nothing else about them changes.
import { toKnownError } from '../model/errors.ts';
import { done, type Outcome, retry, waitForChange } from '../model/outcome.ts';
import type { Pod } from '../model/pod.ts';
import type { Reason } from '../model/reasons.ts';
import type { ReconcileContext } from './ports.ts';
import { warn, writeReport } from './report-networks.ts';

export const refuseHostNetwork = async (context: ReconcileContext, pod: Pod): Promise<Outcome> => {
  if (!pod.networksText?.trim()) return done;
  const message = 'the pod uses the network of its node (hostNetwork), so no interface can be plugged into it';
  return await refuse(context, pod, 'HostNetworkPod', message);
};

export const refuseUnreadableStatus = (context: ReconcileContext, pod: Pod, message: string): Promise<Outcome> =>
  refuse(
    context,
    pod,
    'StatusUnreadable',
    `${message}; nothing is plugged or unplugged until it is restored or the pod restarted`,
  );

const refuse = async (context: ReconcileContext, pod: Pod, reason: Reason, message: string): Promise<Outcome> => {
  const isNews = pod.condition?.reason !== reason || pod.condition.message !== message;
  if (isNews) warn(context.deps, pod, reason, message);
  const condition = { status: 'False', reason, message } as const;
  const failure = await writeReport(context, { pod, states: [], condition }).catch(toKnownError);
  if (failure === undefined || failure.kind === 'objectGone') return waitForChange(message);
  if (failure.kind === 'stateChanged') await context.deps.pods.refresh(pod.key, context.signal);
  return retry(failure.message);
};
