import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthAfterWarmUp, slopePerMinute } from './flatness.ts';

const samples = (values: readonly number[]) => values.map((value, index) => ({ minutes: index, value }));

describe('slopePerMinute', () => {
  it.each([
    ['nothing for a value that stays', [80, 80, 80, 80], 0],
    ['what is added each minute', [80, 82, 84, 86], 2],
    ['what is lost each minute', [9, 8, 7], -1],
    ['nothing for peaks that go away again', [80, 80, 99, 80, 80, 99, 80], 0],
  ])('is %s', (_, values, slope) => {
    expect(slopePerMinute(samples(values))).toBeCloseTo(slope);
  });

  it('finds a leak below the saw-teeth of a garbage collector', () => {
    const values = Array.from({ length: 60 }, (_, index) => 80 + 0.1 * index + 6 * ((index % 7) / 7));
    expect(slopePerMinute(samples(values))).toBeCloseTo(0.1, 1);
  });

  it('is no number when nothing can be compared', () => expect(slopePerMinute(samples([1]))).toBeNaN());

  it('is moved by a line that is added, by nothing but its slope', () => {
    const value = fc.integer({ min: 50, max: 100 });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 20 }),
        fc.integer({ min: -5, max: 5 }),
        (values, slope) => {
          const tilted = samples(values).map(({ minutes, value: before }) => ({
            minutes,
            value: before + slope * minutes + 7,
          }));
          expect(slopePerMinute(tilted)).toBeCloseTo(slopePerMinute(samples(values)) + slope);
        },
      ),
    );
  });
});

describe('growthAfterWarmUp', () => {
  it('does not hold the warm-up against anybody', () => {
    const { perMinute, total } = growthAfterWarmUp(samples([50, 60, 70, 80, 80, 80, 80, 80, 80, 80]));
    expect([perMinute, total]).toEqual([0, 0]);
  });

  it('counts what comes after it', () => {
    const { perMinute, total } = growthAfterWarmUp(samples([50, 60, 70, 80, 81, 82, 83, 84, 85, 86]));
    expect(perMinute).toBeCloseTo(1);
    expect(total).toBeCloseTo(6);
  });
});
