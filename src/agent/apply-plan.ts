// Carries out a plan on one pod: intent to the ledger, removals, additions, outcome to the ledger. One failing interface
// never holds back another, and nothing is done twice: what has to wait for its next try is left out.
import { type AttachmentRecord, isUnfinished } from '../model/attachment-record.ts';
import { KnownError, toKnownError } from '../model/errors.ts';
import type { MultusRules } from '../model/multus-rules.ts';
import type { Plan } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import { attachInterface } from './attach-interface.ts';
import { detachInterface } from './detach-interface.ts';
import { intendAttach, intendDetach, intendRecovery } from './intend.ts';
import type { ReconcileContext } from './ports.ts';
import { attemptOf, attemptsOf, type Intention, type PlannedAttempt, type StepResult } from './step.ts';
import { isSameAttachment, type WorkingSet } from './working-set.ts';

export interface ApplyInput {
  readonly pod: Pod;
  readonly plan: Plan;
  readonly work: WorkingSet;
  readonly rules: MultusRules;
}

export const applyPlan = async (context: ReconcileContext, input: ApplyInput): Promise<readonly StepResult[]> => {
  const { pod, plan, work, rules } = input;
  const { retries, sandboxes } = context.deps;
  const unfinished = work.records.filter(isUnfinished).toReversed();
  retries.retain(pod.uid, attemptsOf(pod, plan, unfinished));
  if (plan.detach.length === 0 && plan.attach.length === 0 && unfinished.length === 0) return [];

  const sandbox = await sandboxes
    .get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, context.signal)
    .catch((error: unknown) => toKnownError(error));
  // Between two sandboxes, or before the end: the kubelet will tell, and nobody needs to be alarmed.
  if (sandbox instanceof KnownError && sandbox.kind === 'sandboxNotReady') throw sandbox;
  if (sandbox instanceof KnownError) return failAll(context, attemptsOf(pod, plan, unfinished), sandbox);
  const additions = await inSequence(plan.attach, (attach) => intendAttach(context, pod, attach, sandbox, rules));
  const toAdd = ready(additions);
  const addedNames = new Set(toAdd.map((record) => record.interface));
  const recoveries = unfinished.map((record) => intendRecovery(context, pod, record, addedNames));
  const removals = await inSequence(plan.detach, (detach) => intendDetach(context, pod, detach, sandbox));
  const toRemove = ready([...recoveries, ...removals]);
  const settled = [...recoveries, ...removals, ...additions].flatMap((intention) => intention.result ?? []);
  if (toRemove.length === 0 && toAdd.length === 0) return settled;

  const before = work.records;
  for (const record of [...toRemove, ...toAdd]) work.put(record);
  const unsaved = await work.save(pod.sandboxMark).catch(toKnownError);
  if (unsaved !== undefined) {
    work.reset(before);
    return [
      ...settled,
      ...failAll(
        context,
        [...toRemove.map((r) => attemptOf('detach', pod, r)), ...toAdd.map((r) => attemptOf('attach', pod, r))],
        unsaved,
      ),
    ];
  }

  const removed = await inSequence(toRemove, (record) =>
    detachInterface(context, { pod, record, sandbox, work, addedNames }),
  );
  const stuck = [...removed, ...settled].filter(({ verb, error }) => verb === 'detach' && error !== undefined);
  const added = await inSequence(toAdd, async (record) => {
    const blocker = stuck.find((result) => result.interface === record.interface);
    if (blocker === undefined) return await attachInterface(context, { pod, record, work });
    // The intent is withdrawn, unless it is the very attachment whose removal failed: that one stays to be undone.
    if (!toRemove.some((other) => isSameAttachment(other, record))) work.drop(record);
    return blockedBy(blocker, record);
  });
  await work.save(pod.sandboxMark);
  return [...settled, ...removed, ...added];
};

const ready = (intentions: readonly Intention[]): readonly AttachmentRecord[] =>
  intentions.flatMap((intention) => intention.record ?? []);

/** Nothing could even be begun, for one reason: each interface says so, and each waits for its next try. */
const failAll = (
  { deps }: ReconcileContext,
  attempts: readonly PlannedAttempt[],
  error: KnownError,
): readonly StepResult[] =>
  attempts.map((attempt) => {
    deps.retries.failed(attempt, error);
    return { verb: attempt.verb, interface: attempt.interface, network: attempt.network, error };
  });

const blockedBy = (blocker: StepResult, { interface: name, network }: AttachmentRecord): StepResult => ({
  verb: 'attach',
  interface: name,
  network,
  error: { kind: 'delegateFailed', message: `waits until the old ${name} is removed: ${blocker.error?.message ?? ''}` },
});

/** One after the other, in order: a VLAN may sit on the interface that was plugged just before it. */
const inSequence = async <T, R>(items: readonly T[], step: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (const item of items) results.push(await step(item));
  return results;
};
