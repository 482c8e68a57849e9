// CNI ADD for one record that the ledger already knows as `adding`.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { sandboxProblem, statusEntriesOf } from '../model/cni-result.ts';
import { DelegateError, toKnownError } from '../model/errors.ts';
import type { Pod } from '../model/pod.ts';
import { del, delegateRequest } from './detach-interface.ts';
import type { ReconcileContext } from './ports.ts';
import { attemptOf, type StepResult } from './step.ts';
import type { WorkingSet } from './working-set.ts';

export interface AttachStep {
  readonly pod: Pod;
  readonly record: AttachmentRecord;
  readonly work: WorkingSet;
}

export const attachInterface = async (context: ReconcileContext, step: AttachStep): Promise<StepResult> => {
  const { deps, log, signal } = context;
  const { pod, record, work } = step;
  const { interface: name, network } = record;
  const attempt = attemptOf('attach', pod, record);
  const started = deps.now();
  try {
    const result = await deps.delegate.add(delegateRequest(record, pod), signal);
    const odd = sandboxProblem(result, record.netns);
    if (odd !== undefined) throw new DelegateError('delegateFailed', 'answered', odd);
    const { unsettledUntilMs: _, ...settled } = record;
    const added: AttachmentRecord = {
      ...settled,
      state: 'added',
      entries: statusEntriesOf(network, name, result, record.deviceId),
    };
    work.put(added);
    deps.retries.succeeded(attempt);
    log.info({ iface: name, network, durationMs: deps.now() - started }, 'interface attached');
    return { verb: 'attach', interface: name, network, record: added };
  } catch (error) {
    const known = toKnownError(error);
    const attempts = deps.retries.failed(attempt, known);
    log.warn({ iface: name, network, attempts, err: known }, 'attaching failed');
    await undo(context, step, error);
    return { verb: 'attach', interface: name, network, error: known };
  }
};

/** CNI asks for a DEL after a failed ADD, since it may have failed half-way. If that fails too, the ledger keeps it as `adding`. */
const undo = async (context: ReconcileContext, { pod, record, work }: AttachStep, error: unknown): Promise<void> => {
  const { sandboxes, settleMs, now } = context.deps;
  sandboxes.forget(pod.runtimeUid); // the network namespace may be another one by now: look again before the next try
  const fate = error instanceof DelegateError ? error.fate : 'lost';
  // Not forgotten before the status is written: it may still tell of an interface of this name that was removed just before.
  if (fate === 'neverSent') {
    work.put({ ...record, state: 'removed' });
    return;
  }
  const doubtful = fate === 'lost' ? { ...record, unsettledUntilMs: now() + settleMs } : record;
  work.put(doubtful);
  const undone = await del(context, doubtful, pod, record.netns);
  if (undone.kind === 'gone') work.setState(doubtful, 'removed');
};
