// Exponential back-off with full jitter on its upper half, without an end: the delay stops growing, the tries never stop.

export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** In [0, 1): injected, so that tests are deterministic. */
  readonly random: () => number;
}

/** Delay before try number `attempt` (1 = after the first failure). */
export const backoffMs = (attempt: number, { minMs, maxMs, random }: BackoffOptions): number => {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
};
