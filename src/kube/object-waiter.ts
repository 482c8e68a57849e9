// Waits for an object of a watch to become what somebody needs. Promises: whoever waits hears of it with the watch event; when
// the time is up the server itself is asked once, because the watch may be behind; nothing is left of a wait that ended.
import type { ObjectView, WatchedObjects } from './watched-objects.ts';

type Look<T> = (after: T | undefined) => void;

export class ObjectWaiter<T extends ObjectView> {
  readonly #objects: Pick<WatchedObjects<T>, 'find' | 'refresh'>;
  readonly #waiting = new Map<string, Set<Look<T>>>();

  constructor(objects: Pick<WatchedObjects<T>, 'find' | 'refresh' | 'subscribe'>) {
    this.#objects = objects;
    objects.subscribe((key, after) => {
      for (const look of this.#waiting.get(key) ?? []) look(after);
    });
  }

  /** The object as soon as it is enough; else as the server has it when the time is up, undefined when it has none. */
  async waitFor(
    key: string,
    isEnough: (object: T) => boolean,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const now = this.#objects.find(key);
    if (now !== undefined && isEnough(now)) return now;
    const changed = waitMs > 0 ? await this.#wait(key, isEnough, waitMs, signal) : undefined;
    return changed ?? (await this.#objects.refresh(key, signal));
  }

  async #wait(
    key: string,
    isEnough: (object: T) => boolean,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    const look: Look<T> = (after) => {
      if (after !== undefined && isEnough(after)) resolve(after);
    };
    const onAbort = () => reject(signal.reason);
    const looks = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, looks.add(look));
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => resolve(undefined), waitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      looks.delete(look);
      if (looks.size === 0) this.#waiting.delete(key);
    }
  }

  /** How many wait. */
  get size(): number {
    return [...this.#waiting.values()].reduce((sum, looks) => sum + looks.size, 0);
  }
}
