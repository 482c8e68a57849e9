import { expect, it } from 'vitest';
import { age } from './age.ts';

it.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [185, '3m5s'],
  [601, '10m'],
  [7200, '2h'],
  [7380, '2h3m'],
  [172_800, '2d'],
  [180_000, '2d2h'],
  [8_640_000, '100d'],
])('%i seconds ago is %s', (seconds, expected) => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(age(new Date(now - seconds * 1000).toISOString(), now)).toBe(expected);
});

it('says nothing of a time that is not known', () => {
  expect(age(undefined, 0)).toBe('-');
  expect(age('yesterday', 0)).toBe('-');
});
