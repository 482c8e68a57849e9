import { describe, expect, it } from 'vitest';
import { median, percentile } from './percentiles.ts';

const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('percentile', () => {
  it.each([
    ['the lowest for 0', oneToHundred, 0, 1],
    ['the middle for 50', oneToHundred, 50, 50],
    ['all but the highest for 99', oneToHundred, 99, 99],
    ['the highest for 100', oneToHundred, 100, 100],
    ['the only one there is', [7], 99, 7],
    ['the highest of a few for 99: there is nothing between', [3, 1, 2], 99, 3],
  ])('is %s', (_, values, percent, expected) => {
    expect(percentile(values, percent)).toBe(expected);
  });

  it('is no number when nothing was measured', () => expect(percentile([], 50)).toBeNaN());

  it('leaves what it is given in its order', () => {
    const values = [3, 1, 2];
    percentile(values, 50);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuses what is no percentage', () =>
    expect(() => percentile([1], 101)).toThrow('percent must be from 0 to 100'));
});

describe('median', () => {
  it.each([
    ['the one in the middle', [9, 1, 5], 5],
    ['between the two in the middle', [4, 1, 2, 9], 3],
    ['the only one', [2], 2],
  ])('is %s', (_, values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('is no number when nothing was measured', () => expect(median([])).toBeNaN());
});
