import { beforeEach, describe, expect, it } from 'vitest';
import { DriftSchedule } from './drift-schedule.ts';

let now: number;
let chance: number;
beforeEach(() => {
  now = 0;
  chance = 0;
});

const scheduleOf = (intervalMs: number) => new DriftSchedule({ intervalMs, now: () => now, random: () => chance });

/** The first moment at which the pod is due, asked every 10 ms. */
const dueAt = (drift: DriftSchedule, uid: string): number => {
  while (!drift.isDue(uid)) now += 10;
  return now;
};

describe('DriftSchedule', () => {
  it.each([
    ['half an interval after it was first seen, at the earliest', 0, 500],
    ['an interval after it was first seen, at the latest', 1, 1000],
  ])('a pod is due %s', (_, random, expected) => {
    chance = random;
    expect(dueAt(scheduleOf(1000), 'a')).toBe(expected);
  });

  it.each([
    ['a tenth less than an interval', 0, 900],
    ['a tenth more than an interval', 1, 1100],
  ])('once checked, it is due again after %s', (_, random, expected) => {
    chance = random;
    const drift = scheduleOf(1000);
    drift.checked('a');
    expect(dueAt(drift, 'a')).toBe(expected);
  });

  it('stays due until it was checked', () => {
    const drift = scheduleOf(1000);
    dueAt(drift, 'a');
    now += 5000;
    expect(drift.isDue('a')).toBe(true);
    drift.checked('a');
    expect(drift.isDue('a')).toBe(false);
  });

  it('each pod has its own time', () => {
    const drift = scheduleOf(1000);
    drift.isDue('a');
    now = 400;
    drift.isDue('b');
    now = 500;
    expect([drift.isDue('a'), drift.isDue('b')]).toEqual([true, false]);
  });

  it('an interval of 0 turns it off', () => {
    const drift = scheduleOf(0);
    drift.checked('a');
    now = 1e9;
    expect(drift.isDue('a')).toBe(false);
  });

  it('forgets pods that are gone: one of that uid would start anew', () => {
    const drift = scheduleOf(1000);
    drift.isDue('a');
    drift.isDue('b');
    drift.retain(new Set(['b']));
    now = 500;
    expect([drift.isDue('a'), drift.isDue('b')]).toEqual([false, true]);
  });
});
