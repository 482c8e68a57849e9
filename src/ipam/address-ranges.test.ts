import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRanges } from './address-ranges.ts';

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('take' as const), value: fc.bigInt(0n, 40n) }),
    fc.record({ kind: fc.constant('give' as const), value: fc.bigInt(0n, 40n) }),
    fc
      .tuple(fc.bigInt(0n, 40n), fc.bigInt(0n, 12n))
      .map(([first, width]) => ({ kind: 'takeRange' as const, first, last: first + width })),
  ),
  { maxLength: 60 },
);

describe('AddressRanges', () => {
  it('is the set of numbers that a plain set would be, and says so with the fewest ranges', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ranges = new AddressRanges({ first: 5n, last: 30n });
        const model = new Set(Array.from({ length: 26 }, (_, index) => BigInt(index + 5)));
        for (const step of all) {
          if (step.kind === 'take') expect(ranges.take(step.value)).toBe(model.delete(step.value));
          else if (step.kind === 'give') {
            expect(ranges.give(step.value)).toBe(!model.has(step.value));
            model.add(step.value);
          } else {
            ranges.takeRange(step);
            for (let value = step.first; value <= step.last; value++) model.delete(value);
          }
        }
        const sorted = [...model].sort((a, b) => Number(a - b));
        expect(ranges.size).toBe(BigInt(model.size));
        expect(ranges.lowest()).toBe(sorted[0]);
        expect(ranges.ranges().flatMap(({ first, last }) => numbersFrom(first, last))).toEqual(sorted);
        const gaps = ranges.ranges().map(({ first }, index, list) => first - (list[index - 1]?.last ?? -9n));
        expect(gaps.every((gap) => gap > 1n)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is empty when its ends are crossed', () => {
    expect(new AddressRanges({ first: 2n, last: 1n }).size).toBe(0n);
    expect(new AddressRanges().lowest()).toBeUndefined();
  });

  it('takes a range as wide as an IPv6 subnet at once', () => {
    const ranges = new AddressRanges({ first: 0n, last: (1n << 64n) - 1n });
    ranges.takeRange({ first: 1n, last: (1n << 64n) - 2n });
    expect(ranges.ranges()).toEqual([
      { first: 0n, last: 0n },
      { first: (1n << 64n) - 1n, last: (1n << 64n) - 1n },
    ]);
  });
});

const numbersFrom = (first: bigint, last: bigint): bigint[] =>
  Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
