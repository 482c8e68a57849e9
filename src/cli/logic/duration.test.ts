import { expect, it } from 'vitest';
import { UsageError } from '../cli-error.ts';
import { parseDuration } from './duration.ts';

it.each([
  ['30', 30_000],
  ['30s', 30_000],
  ['1.5s', 1500],
  ['500ms', 500],
  ['1h30m', 5_400_000],
])('%s is %i ms', (text, expected) => {
  expect(parseDuration(text, '--timeout')).toBe(expected);
});

it.each(['', 'soon', '5 s', '3d', '-1s', 's'])('%j is refused', (text) => {
  expect(() => parseDuration(text, '--timeout')).toThrow(UsageError);
});
