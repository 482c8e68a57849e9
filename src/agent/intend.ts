// Turns each step of a plan into a record that can be acted on, or into the reason why not now. Nothing is changed here.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { dispositionOf, type KnownError, toKnownError } from '../model/errors.ts';
import type { MultusRules } from '../model/multus-rules.ts';
import type { Attach, Detach } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import { findDetachConfig } from './find-detach-config.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';
import { prepareAttach } from './prepare-attach.ts';
import { attemptOf, CREATION_REQUEST, type Intention, type PlannedAttempt, subjectOf } from './step.ts';

/** NetworkAttachmentDefinitions are watched, so their retry is only for a watch that is down; addresses of the node are not. */
const NOT_FOUND_MAX_MS = 20_000;

/** What a crash or a failure left half-done. */
export const intendRecovery = (
  { deps }: ReconcileContext,
  pod: Pod,
  record: AttachmentRecord,
  addedNames: ReadonlySet<string>,
): Intention => {
  const waiting = deps.retries.findWaiting(attemptOf('detach', pod, record));
  const isHousekeeping = record.unsettledUntilMs !== undefined;
  // One whose answer was lost is removed again at once, and for good, when its name is needed anew.
  if (waiting === undefined || (isHousekeeping && addedNames.has(record.interface))) return { record };
  return { result: { ...subject(record, 'detach'), record, error: waiting, isHousekeeping } };
};

export const intendDetach = (
  context: ReconcileContext,
  pod: Pod,
  { target }: Detach,
  sandbox: Sandbox,
): Promise<Intention> => {
  const known = target.origin === 'hotplug' ? target.record : { ...target, request: CREATION_REQUEST };
  return intend(context, attemptOf('detach', pod, known), async () => {
    const record = target.origin === 'hotplug' ? target.record : await findDetachConfig(context, target, sandbox);
    return { ...record, state: 'removing' };
  });
};

export const intendAttach = (
  context: ReconcileContext,
  pod: Pod,
  attach: Attach,
  sandbox: Sandbox,
  rules: MultusRules,
): Promise<Intention> =>
  intend(context, attemptOf('attach', pod, subjectOf(attach)), () =>
    prepareAttach(context, pod, attach, sandbox, rules),
  );

const intend = async (
  { deps }: ReconcileContext,
  attempt: PlannedAttempt,
  prepare: () => Promise<AttachmentRecord>,
): Promise<Intention> => {
  const waiting = deps.retries.findWaiting(attempt);
  if (waiting !== undefined) return { result: { ...subject(attempt, attempt.verb), error: waiting } };
  try {
    return { record: await prepare() };
  } catch (error) {
    const known = toKnownError(error);
    // What only an edit can heal costs nothing to look at again; the rest must not be asked for in a loop.
    if (dispositionOf(known.kind) === 'retry') deps.retries.failed(attempt, known, maxWaitMs(known));
    return { result: { ...subject(attempt, attempt.verb), error: known } };
  }
};

const subject = (
  { interface: name, network }: Pick<AttachmentRecord, 'interface' | 'network'>,
  verb: PlannedAttempt['verb'],
) => ({
  verb,
  interface: name,
  network,
});

const maxWaitMs = (error: KnownError): number | undefined =>
  error.kind === 'networkNotFound' || error.kind === 'nodeNetworkNotFound' ? NOT_FOUND_MAX_MS : undefined;
