// A plan in which attachments that were found broken are replaced by themselves.
import type { Keep, Plan } from './plan-attachments.ts';

export const planRepairs = (plan: Plan, isBroken: (keep: Keep) => boolean): Plan => {
  const broken = plan.keep.filter((keep) => keep.selection !== undefined && isBroken(keep));
  return {
    ...plan,
    keep: plan.keep.filter((keep) => !broken.includes(keep)),
    detach: [...plan.detach, ...broken.toReversed().map(({ target }) => ({ target, cause: 'broken' as const }))],
    attach: [
      ...plan.attach,
      ...broken.flatMap(({ target, selection }) =>
        selection === undefined ? [] : [{ selection, interface: target.interface, replaces: true }],
      ),
    ],
  };
};

/** Everything stays as it is: what a pod gets whose annotation cannot be understood. */
export const planNothing = (kept: Plan['keep'][number]['target'][]): Plan => ({
  detach: [],
  attach: [],
  keep: kept.map((target) => ({ target })),
  refuse: [],
});
