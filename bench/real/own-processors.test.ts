import { expect, it } from 'vitest';
import { divideProcessors } from './own-processors.ts';

it.each([
  [2, { others: '0', node: '1', all: '0-1' }],
  [3, { others: '0', node: '1-2', all: '0-2' }],
  [8, { others: '0-3', node: '4-7', all: '0-7' }],
])('of %i processors the node gets the upper half', (count, expected) => {
  expect(divideProcessors(count)).toEqual(expected);
});

it('one processor cannot be divided', () => {
  expect(divideProcessors(1)).toBeUndefined();
});
