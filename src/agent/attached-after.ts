// What a pod has after a plan was carried out, as far as it is known: what was observed, less what was removed, plus what was
// added.
import type { Observed } from '../model/observe-attachments.ts';
import type { Plan } from '../model/plan-attachments.ts';
import type { StepResult } from './step.ts';

export const attachedAfter = (
  observed: readonly Observed[],
  plan: Plan,
  results: readonly StepResult[],
): readonly Observed[] => {
  const gone = new Set(
    results.filter(({ verb, error }) => verb === 'detach' && !error).map((result) => result.interface),
  );
  const kept = observed.filter(
    (target) => target.origin === 'foreign' || !isDetached(target, plan) || !gone.has(target.interface),
  );
  const stuck = results.flatMap((result): Observed[] =>
    result.verb === 'detach' && result.error ? stuckAttachment(result, kept) : [],
  );
  const added = results.flatMap(({ verb, record, error }): Observed[] => {
    if (verb !== 'attach' || record === undefined || error !== undefined) return [];
    const { interface: name, network, entries } = record;
    return [{ origin: 'hotplug', interface: name, network, entries, record }];
  });
  return [...kept, ...stuck, ...added];
};

const isDetached = (target: Observed, plan: Plan): boolean => plan.detach.some((detach) => detach.target === target);

/** A removal that a crash left half-done and that fails still: not observed, but not gone either. */
const stuckAttachment = ({ record, interface: name, network }: StepResult, kept: readonly Observed[]): Observed[] => {
  if (record === undefined || record.entries.length === 0 || kept.some((target) => target.interface === name))
    return [];
  return [{ origin: 'hotplug', interface: name, network, entries: record.entries, record }];
};

/** Interface names in annotation order. */
export const desiredNames = (plan: Plan): readonly string[] =>
  [
    ...plan.keep.flatMap(({ target, selection }) =>
      selection ? [{ index: selection.index, name: target.interface }] : [],
    ),
    ...plan.attach.map(({ interface: name, selection }) => ({ index: selection.index, name })),
  ]
    .toSorted((a, b) => a.index - b.index)
    .map(({ name }) => name);
