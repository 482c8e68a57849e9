/** Nearest rank: always a value that was measured, never one between two. NaN when nothing was. */
export const percentile = (values: readonly number[], percent: number): number => {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`percent must be from 0 to 100, got ${percent}`);
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
};

/** The middle one, or the mean of the two in the middle. NaN when nothing was measured. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
};
