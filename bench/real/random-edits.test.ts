import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../e2e/faults/random.ts';
import { randomEdits } from './random-edits.ts';

const pods = ['a', 'b', 'c', 'd'];
const networks = ['red', 'blue'];
const many = (seed: number) => {
  const random = randomFrom(seed);
  return Array.from({ length: 500 }, () => randomEdits(random, pods, networks));
};

describe('the edits of a soak', () => {
  it('are the same again for the same seed, and others for another', () => {
    expect(many(7)).toEqual(many(7));
    expect(many(7)).not.toEqual(many(8));
  });

  it('concern one to three pods at a time, and in the end all', () => {
    const edits = many(1);
    expect(new Set(edits.map(({ size }) => size))).toEqual(new Set([1, 2, 3]));
    expect(edits.filter(({ size }) => size === 1).length).toBeGreaterThan(edits.length / 3);
    expect(new Set(edits.flatMap((edit) => [...edit.keys()]))).toEqual(new Set(pods));
  });

  it('ask for nothing at all, for everything, and for two interfaces on one network', () => {
    const asked = many(1).flatMap((edit) => [...edit.values()].map((interfaces) => Object.values(interfaces)));
    expect(new Set(asked.map(({ length }) => length))).toEqual(new Set([0, 1, 2, 3]));
    expect(asked.some((used) => new Set(used).size < used.length)).toBe(true);
    expect(new Set(asked.flat())).toEqual(new Set(networks));
  });
});
