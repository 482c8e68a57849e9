import { expect, it } from 'vitest';
import { answerWithinMs } from './request-timeout.ts';

it.each([
  ['10s', 9500],
  ['5s', 4500],
  ['1s', 500],
  ['1m30s', 29_500],
  ['1.5s', 1000],
  ['100ms', 50],
  [null, 9500],
  ['0s', 9500],
  ['soon', 9500],
  ['-5s', 9500],
])('asked with timeout %j the answer comes within %d ms', (timeout, expected) => {
  expect(answerWithinMs(timeout)).toBe(expected);
});
