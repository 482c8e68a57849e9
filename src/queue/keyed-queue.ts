// A work queue of keys. Its promises, those of a Kubernetes workqueue:
// - a key waits in it at most once, however often it is added;
// - a key is worked on by one worker at a time; added meanwhile, it comes back as soon as that worker is done;
// - different keys run in parallel, up to `concurrency`, in the order in which they became ready;
// - a key that failed comes back after its own back-off, for ever; success or an explicit delay resets it;
// - close() takes no new work, lets what runs finish within the deadline, then aborts it.
import PQueue from 'p-queue';
import { type BackoffOptions, backoffMs } from '../model/backoff.ts';
import type { Outcome } from '../model/outcome.ts';

export interface KeyedQueueOptions<K extends string> {
  readonly concurrency: number;
  readonly backoff: BackoffOptions;
  /** Must not reject for a fault of the outside world; what it throws is a bug, handed to `onBug` and retried. */
  readonly work: (key: K, signal: AbortSignal) => Promise<Outcome>;
  readonly onOutcome?: (key: K, outcome: Outcome, attempt: number) => void;
  readonly onBug?: (key: K, error: unknown) => void;
  readonly now?: () => number;
}

interface Timer {
  readonly dueAt: number;
  readonly handle: NodeJS.Timeout;
}

export class KeyedQueue<K extends string> {
  readonly #options: KeyedQueueOptions<K>;
  readonly #now: () => number;
  /** Bounds how many keys run; it knows nothing of keys. */
  readonly #slots: PQueue;
  /** Waiting or due again, with the time since when: never holds a key twice. */
  readonly #dirty = new Map<K, number>();
  /** Being worked on. A key may be here and dirty at once; then it is not handed to a slot until it leaves here. */
  readonly #processing = new Set<K>();
  /** At most one timer per key: the earliest. */
  readonly #timers = new Map<K, Timer>();
  readonly #failures = new Map<K, number>();
  readonly #abort = new AbortController();
  #runs = 0;
  #isClosed = false;

  constructor(options: KeyedQueueOptions<K>) {
    if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
      throw new TypeError(`concurrency must be a whole number of at least 1, got ${options.concurrency}`);
    }
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#slots = new PQueue({ concurrency: options.concurrency });
  }

  add(key: K): void {
    if (this.#isClosed || this.#dirty.has(key)) return;
    this.#cancelTimer(key);
    this.#dirty.set(key, this.#now());
    if (!this.#processing.has(key)) this.#schedule(key);
  }

  /** Adds the key after a delay, or sooner if it is due sooner already. */
  addAfter(key: K, delayMs: number): void {
    if (this.#isClosed || this.#dirty.has(key)) return;
    const dueAt = this.#now() + delayMs;
    const present = this.#timers.get(key);
    if (present !== undefined && present.dueAt <= dueAt) return;
    this.#cancelTimer(key);
    const handle = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, delayMs);
    this.#timers.set(key, { dueAt, handle });
  }

  /** Keys that are ready and wait for a slot. */
  get depth(): number {
    return this.#dirty.size;
  }

  get processing(): number {
    return this.#processing.size;
  }

  /** Keys that come back later by themselves. */
  get delayed(): number {
    return this.#timers.size;
  }

  /** How long the oldest ready key has been waiting. */
  get oldestAgeMs(): number {
    const oldest = this.#dirty.values().next().value;
    return oldest === undefined ? 0 : this.#now() - oldest;
  }

  /** Resolves once nothing was ready or running for so long; delayed keys do not count. The edits of one burst come in over some time. */
  async onQuiet(quietMs: number): Promise<void> {
    for (let runs = -1; runs !== this.#runs; ) {
      await this.#slots.onIdle();
      runs = this.#runs;
      await new Promise((resolve) => setTimeout(resolve, quietMs).unref());
    }
  }

  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true;
    for (const key of this.#timers.keys()) this.#cancelTimer(key);
    this.#dirty.clear();
    this.#slots.clear();
    const force = setTimeout(() => this.#abort.abort(new Error('shutdown deadline passed')), deadlineMs);
    await this.#slots.onIdle();
    clearTimeout(force);
  }

  #schedule(key: K): void {
    void this.#slots.add(() => this.#run(key));
  }

  async #run(key: K): Promise<void> {
    this.#dirty.delete(key);
    this.#processing.add(key);
    this.#runs += 1;
    const outcome = await this.#work(key);
    this.#processing.delete(key);
    const attempt = this.#settle(key, outcome);
    this.#options.onOutcome?.(key, outcome, attempt);
    if (this.#dirty.has(key) && !this.#isClosed) this.#schedule(key);
  }

  async #work(key: K): Promise<Outcome> {
    try {
      return await this.#options.work(key, this.#abort.signal);
    } catch (error) {
      this.#options.onBug?.(key, error);
      return { kind: 'retry', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The one place where an outcome becomes what happens to the key. Returns the number of failures in a row. */
  #settle(key: K, outcome: Outcome): number {
    if (outcome.kind !== 'retry' || outcome.afterMs !== undefined) {
      this.#failures.delete(key);
      if (outcome.kind === 'retry' && outcome.afterMs !== undefined) this.addAfter(key, outcome.afterMs);
      return 0;
    }
    const attempt = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, attempt);
    this.addAfter(key, backoffMs(attempt, this.#options.backoff));
    return attempt;
  }

  #cancelTimer(key: K): void {
    clearTimeout(this.#timers.get(key)?.handle);
    this.#timers.delete(key);
  }
}
