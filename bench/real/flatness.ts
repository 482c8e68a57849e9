// Whether a value that is sampled over time stays where it is.

export interface TimedValue {
  readonly minutes: number;
  readonly value: number;
}

import { median } from '../percentiles.ts';

/**
 * Change per minute: the median of the slopes between all pairs of samples (Theil and Sen). Unlike a line of least squares it
 * is not bent by the peaks that a garbage collector leaves between its runs. NaN for fewer than two moments.
 */
export const slopePerMinute = (samples: readonly TimedValue[]): number =>
  median(
    samples.flatMap((a, index) =>
      samples
        .slice(index + 1)
        .filter((b) => b.minutes !== a.minutes)
        .map((b) => (b.value - a.value) / (b.minutes - a.minutes)),
    ),
  );

/** The part of a run in which memory may still grow: caches fill, code is compiled. */
const WARM_UP_SHARE = 1 / 3;

/** How much the value grew after the warm-up, by its slope; what it did before does not count. */
export const growthAfterWarmUp = (
  samples: readonly TimedValue[],
): { readonly perMinute: number; readonly total: number } => {
  const [first, last] = [samples[0]?.minutes ?? 0, samples.at(-1)?.minutes ?? 0];
  const begin = first + (last - first) * WARM_UP_SHARE;
  const perMinute = slopePerMinute(samples.filter(({ minutes }) => minutes >= begin));
  return { perMinute, total: perMinute * (last - begin) };
};
