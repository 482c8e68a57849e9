// One reconciler at work: its queue, and when it may run. Promises: nothing runs before start(), which works on every key
// that there is once; keys that change before that are not lost, because they are among those; a KnownError is retried with
// the key's back-off, anything else is a bug, told and retried likewise; stop() lets what runs finish within the deadline.
import { randomUUID } from 'node:crypto';
import type { BackoffOptions } from '../model/backoff.ts';
import { KnownError } from '../model/errors.ts';
import { type Outcome, retry } from '../model/outcome.ts';
import { KeyedQueue } from '../queue/keyed-queue.ts';
import type { Log, Reconcile } from './ports.ts';

export interface WorkLoopOptions {
  /** In logs and metrics. */
  readonly name: string;
  readonly reconcile: Reconcile;
  /** Every key that there is now. */
  readonly keys: () => Iterable<string>;
  readonly concurrency: number;
  readonly backoff: BackoffOptions;
  readonly log: Log & {
    child(fields: object): Log;
    error(fields: object, message: string): void;
  };
  readonly onOutcome: (name: string, outcome: Outcome['kind'] | 'bug') => void;
}

export class WorkLoop {
  readonly name: string;
  readonly #options: WorkLoopOptions;
  readonly #queue: KeyedQueue<string>;
  #isStarted = false;

  constructor(options: WorkLoopOptions) {
    this.name = options.name;
    this.#options = options;
    this.#queue = new KeyedQueue<string>({
      concurrency: options.concurrency,
      backoff: options.backoff,
      now: () => performance.now(),
      work: (key, signal) => this.#work(key, signal),
      onOutcome: (key, outcome, attempt) => {
        options.onOutcome(options.name, outcome.kind);
        if (outcome.kind !== 'done')
          options.log.debug({ loop: options.name, key, outcome, attempt }, 'reconcile ended');
      },
      onBug: (key, error) => {
        options.onOutcome(options.name, 'bug');
        options.log.error({ loop: options.name, key, err: error }, 'reconcile failed unexpectedly');
      },
    });
  }

  get queue(): Pick<KeyedQueue<string>, 'depth' | 'processing' | 'delayed' | 'oldestAgeMs'> {
    return this.#queue;
  }

  add(key: string): void {
    if (this.#isStarted) this.#queue.add(key);
  }

  start(): void {
    this.#isStarted = true;
    for (const key of this.#options.keys()) this.#queue.add(key);
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStarted = false;
    await this.#queue.close(deadlineMs);
  }

  async #work(key: string, signal: AbortSignal): Promise<Outcome> {
    const { log, name, reconcile } = this.#options;
    try {
      return await reconcile(key, log.child({ loop: name, key, reconcileId: randomUUID() }), signal);
    } catch (error) {
      if (error instanceof KnownError) return retry(error.message);
      throw error;
    }
  }
}
