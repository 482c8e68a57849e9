import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const delay = (attempt: number, random: number) =>
  backoffMs(attempt, { minMs: 200, maxMs: 60_000, random: () => random });

describe('backoffMs', () => {
  it.each([
    ['the first failure waits at least half of the minimum', 1, 0, 100],
    ['the first failure waits the minimum at most', 1, 1, 200],
    ['every failure doubles the wait', 2, 1, 400],
    ['until the maximum', 9, 1, 51_200],
    ['which it never exceeds', 10, 1, 60_000],
    ['not even after a million failures', 1_000_000, 1, 60_000],
    ['jitter takes off up to half', 1_000_000, 0, 30_000],
    ['and is even in between', 10, 0.5, 45_000],
  ])('%s', (_, attempt, random, expected) => {
    expect(delay(attempt, random)).toBe(expected);
  });

  it('is a whole number of milliseconds', () => {
    expect(Number.isInteger(delay(3, 0.123456))).toBe(true);
  });
});
