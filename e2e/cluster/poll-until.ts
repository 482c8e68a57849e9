// Waits for a condition with a deadline; the last reason why not ends up in the error.
import { setTimeout as sleep } from 'node:timers/promises';

export type PollOptions = { readonly deadlineMs: number; readonly intervalMs?: number };

/** `check` returns a value when the condition holds, `undefined` when not yet; an error counts as "not yet". */
export const pollUntil = async <T>(
  what: string,
  check: () => Promise<T | undefined>,
  { deadlineMs, intervalMs = 250 }: PollOptions,
): Promise<T> => {
  const end = performance.now() + deadlineMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value !== undefined) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > end) throw new Error(`waited ${deadlineMs / 1000} s for: ${what}`, { cause: lastError });
    await sleep(intervalMs);
  }
};
