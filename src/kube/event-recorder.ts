// Events on API objects. Its promises: recording never delays or fails the work that it tells of, so events wait while there
// is work, but not for long; the same event again is counted on the one that exists, at most every ten seconds; one object
// cannot flood the API; flush() waits until what was recorded is sent or given up.
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';

export interface EventSubject {
  /** `v1` when left out. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: Pick<ApiClient, 'json'>;
  readonly component: string;
  /** Which of our processes tells: the node of an agent, the pod of a controller. */
  readonly instance: string;
  readonly now?: () => Date;
  /** For the rate limit, which must not depend on a clock that somebody may set. */
  readonly monotonicMs?: () => number;
  /** Resolves when the work that events tell of leaves time for them. */
  readonly onIdle?: () => Promise<void>;
  readonly onDropped?: (reason: 'rate' | 'error', error?: unknown) => void;
}

interface SentEvent {
  readonly path: string;
  count: number;
  isScheduled: boolean;
}

/** Enough for a burst of edits; after it, one event per object every 30 s. */
const BUCKET_SIZE = 25;
const REFILL_MS = 30_000;
const RECOUNT_MS = 10_000;
/** How long a burst of work may hold its events back: in a burst each of them costs API server and agent as much as a plug does. */
const MAX_HOLD_MS = 5000;
const MAX_MESSAGE = 1024;
/** Each costs half a KiB on every node; few repeat themselves, and those do so soon. */
const MAX_REMEMBERED = 500;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #now: () => Date;
  readonly #monotonicMs: () => number;
  readonly #sending = new PQueue({ concurrency: 4 });
  /** What was sent in the last hour, so that a repetition finds it. */
  readonly #sent = new LRUCache<string, SentEvent>({ max: MAX_REMEMBERED, ttl: 3_600_000 });
  readonly #buckets = new LRUCache<string, { tokens: number; filledAt: number }>({ max: 2000 });

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  record(subject: EventSubject, event: RecordedEvent): void {
    const key = `${subject.uid}/${event.reason}/${event.message}`;
    const before = this.#sent.get(key);
    if (before !== undefined) {
      this.#recount(before);
      return;
    }
    if (!this.#takeToken(subject.uid)) {
      this.#options.onDropped?.('rate');
      return;
    }
    const sent: SentEvent = { path: '', count: 1, isScheduled: false };
    this.#sent.set(key, sent);
    this.#holdBack();
    const time = timestamp(this.#now());
    void this.#sending.add(() => this.#create(subject, { ...event, time }, key, sent));
  }

  async flush(deadlineMs: number): Promise<void> {
    this.#sending.start();
    await Promise.race([this.#sending.onIdle(), new Promise((resolve) => setTimeout(resolve, deadlineMs).unref())]);
  }

  /** Only the first of a batch starts the wait, so that steady work cannot hold events back again and again. */
  #holdBack(): void {
    const { onIdle } = this.#options;
    if (onIdle === undefined || this.#sending.size > 0 || this.#sending.pending > 0) return;
    this.#sending.pause();
    const release = (): void => {
      clearTimeout(timer);
      this.#sending.start();
    };
    const timer = setTimeout(release, MAX_HOLD_MS);
    void onIdle().then(release);
  }

  async #create(
    subject: EventSubject,
    event: RecordedEvent & { readonly time: string },
    key: string,
    sent: SentEvent,
  ): Promise<void> {
    const namespace = subject.namespace ?? 'default';
    const name = `${subject.name.slice(0, 230)}.${randomBytes(8).toString('hex')}`;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    const { component, instance } = this.#options;
    const { time } = event;
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { apiVersion: 'v1', ...subject },
      reason: event.reason,
      message: event.message.slice(0, MAX_MESSAGE),
      type: event.type,
      count: sent.count,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component, host: instance },
      reportingComponent: component,
      reportingInstance: instance,
    };
    try {
      await this.#options.client.json({ method: 'POST', path, body });
      this.#sent.set(key, Object.assign(sent, { path: `${path}/${name}` }));
    } catch (error) {
      this.#sent.delete(key);
      this.#options.onDropped?.('error', error);
    }
  }

  #recount(sent: SentEvent): void {
    sent.count += 1;
    if (sent.isScheduled) return;
    sent.isScheduled = true;
    setTimeout(() => void this.#sending.add(() => this.#patchCount(sent)), RECOUNT_MS).unref();
  }

  async #patchCount(sent: SentEvent): Promise<void> {
    sent.isScheduled = false;
    if (sent.path === '') return;
    const lastTimestamp = timestamp(this.#now());
    try {
      await this.#options.client.json({
        method: 'PATCH',
        path: sent.path,
        contentType: 'application/merge-patch+json',
        body: { count: sent.count, lastTimestamp },
      });
    } catch (error) {
      if (!isNotFound(error)) this.#options.onDropped?.('error', error); // not found: it expired, as events do
    }
  }

  #takeToken(uid: string): boolean {
    const now = this.#monotonicMs();
    const bucket = this.#buckets.get(uid) ?? { tokens: BUCKET_SIZE, filledAt: now };
    const refilled = Math.floor((now - bucket.filledAt) / REFILL_MS);
    const tokens = Math.min(BUCKET_SIZE, bucket.tokens + refilled);
    this.#buckets.set(uid, { tokens: Math.max(0, tokens - 1), filledAt: refilled > 0 ? now : bucket.filledAt });
    return tokens > 0;
  }
}

/** The API's times have no fractions of a second. */
const timestamp = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
