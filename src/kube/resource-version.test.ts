import { describe, expect, it } from 'vitest';
import { isOlderVersion } from './resource-version.ts';

describe('isOlderVersion', () => {
  it.each([
    ['a lower number is older', '9', '10', true],
    ['a higher number is not', '10', '9', false],
    ['the same is not', '10', '10', false],
    ['numbers beyond what floats tell apart are compared exactly', '9007199254740992', '9007199254740993', true],
    ['an unknown form counts as no', 'abc', '10', false],
    ['an unknown form on the other side counts as no', '10', 'abc', false],
    ['an empty version counts as no', '', '10', false],
    ['a negative version counts as no', '-1', '10', false],
    ['a number of absurd length counts as no', '1'.repeat(21), `${'1'.repeat(20)}2`, false],
  ])('%s', (_, a, b, expected) => {
    expect(isOlderVersion({ resourceVersion: a }, { resourceVersion: b })).toBe(expected);
  });
});
