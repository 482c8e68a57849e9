import { describe, expect, it } from 'vitest';
import { observeAttachments } from './observe-attachments.ts';
import { planAttachments } from './plan-attachments.ts';
import { planNothing, planRepairs } from './plan-repairs.ts';
import { defaultEntry, elements, entry, policy, record } from './test-builders.ts';

const observed = observeAttachments(
  [defaultEntry, entry('blue@a'), entry('red@b'), entry('sriov@c')],
  [record('blue@a'), record('red@b')],
);
const plan = planAttachments(elements('blue@a', 'red@b'), observed, policy());

describe('planRepairs', () => {
  it('replaces what is broken by itself, removals in reverse order', () => {
    const repaired = planRepairs(plan, ({ target }) => target.interface !== 'c');
    expect(repaired.detach.map(({ target, cause }) => [target.interface, cause])).toEqual([
      ['b', 'broken'],
      ['a', 'broken'],
    ]);
    expect(repaired.attach).toMatchObject([
      { interface: 'a', replaces: true, selection: { network: 'shop/blue' } },
      { interface: 'b', replaces: true, selection: { network: 'shop/red' } },
    ]);
    expect(repaired.keep.map(({ target }) => target.interface)).toEqual(['c']);
  });

  it('leaves a broken interface alone that nobody asks for', () => {
    const repaired = planRepairs(plan, ({ target }) => target.interface === 'c');
    expect(repaired).toEqual(plan);
  });

  it('changes nothing when all is well', () => {
    expect(planRepairs(plan, () => false)).toEqual(plan);
  });
});

describe('planNothing', () => {
  it('keeps everything that there is and touches nothing', () => {
    const managed = observed.filter((target) => target.origin !== 'foreign');
    expect(planNothing(managed)).toEqual({
      detach: [],
      attach: [],
      keep: managed.map((target) => ({ target })),
      refuse: [],
    });
  });
});
