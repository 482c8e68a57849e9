// Waiting for the world to get into a state, without polling it: the predicate is evaluated again after every change.
import { setImmediate } from 'node:timers';

/** What was waited for: anything but false, undefined and null ends the wait. */
export type Predicate<T> = () => T | undefined | null | false | Promise<T | undefined | null | false>;

export interface WaitOptions {
  readonly timeoutMs: number;
  /** Calls back after every change; returns the function that ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The state of the world, for the message of a wait in vain. */
  readonly describe: () => string;
}

/** For what changes without anybody saying so, such as a file or another process. */
const fallbackMs = 100;

export const waitUntil = <T>(what: string, predicate: Predicate<T>, options: WaitOptions): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    let isChecking = false;
    let isStale = false;
    let lastError: unknown;

    const settle = (finish: () => void): void => {
      unsubscribe();
      clearInterval(fallback);
      clearTimeout(deadline);
      finish();
    };
    const check = async (): Promise<void> => {
      try {
        const value = await predicate();
        lastError = undefined;
        if (value !== undefined && value !== null && value !== false) settle(() => resolve(value));
      } catch (error) {
        // An assertion that does not hold yet.
        lastError = error;
      }
    };
    // Changes come in bursts: one evaluation after each burst is enough.
    const wake = (): void => {
      isStale = true;
      if (isChecking) return;
      isChecking = true;
      setImmediate(async () => {
        while (isStale) {
          isStale = false;
          await check();
        }
        isChecking = false;
      });
    };
    const giveUp = (): void => {
      const why = lastError === undefined ? '' : `\n${lastError instanceof Error ? lastError.message : lastError}`;
      const message = `waited ${options.timeoutMs} ms in vain until ${what}${why}\n${options.describe()}`;
      settle(() => reject(new Error(message, { cause: lastError })));
    };

    const unsubscribe = options.subscribe(wake);
    const fallback = setInterval(wake, fallbackMs);
    const deadline = setTimeout(giveUp, options.timeoutMs);
    wake();
  });
