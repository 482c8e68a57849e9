// A local copy of a list of API objects, kept equal to the server's. Its promises:
// - every change reaches `onChange` at least as its last state: after a lost connection the watch resumes from the last
//   version seen; after 410 Gone the list is read again and the difference reported, deletions included;
// - it never stops by itself: API server restarts, cut connections, expired tokens, slow or broken answers only delay it,
//   with jittered back-off, so that a thousand agents do not return in one instant;
// - objects are reduced to a view on arrival; whole objects are never kept.
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../model/backoff.ts';
import { isJsonObject } from '../model/json.ts';
import type { ApiClient } from './api-client.ts';
import { ApiError, isGone, isNotFound } from './api-error.ts';
import { isOlderVersion } from './resource-version.ts';

export interface ReflectorOptions<T extends { readonly resourceVersion: string }> {
  readonly client: Pick<ApiClient, 'json' | 'stream'>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The view to keep of an object, or undefined to ignore it. */
  readonly view: (object: unknown) => T | undefined;
  readonly keyOf: (view: T) => string;
  /** `after` is undefined when the object is gone. */
  readonly onChange: (key: string, after: T | undefined) => void;
  readonly onError?: (error: unknown, nextTryMs: number) => void;
  readonly random?: () => number;
  /** Resolves after so many milliseconds; rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly pageSize?: number;
  readonly backoffMinMs?: number;
  readonly backoffMaxMs?: number;
  /** The resource may not be installed (yet): then the list counts as empty, and is asked for again. */
  readonly isOptional?: boolean;
  /**
   * Servers send a bookmark about once a minute, so a connection that is silent for this long may be a dead one. Or the server was
   * restarted, and there has been no change since: then it sends none.
   */
  readonly silenceMs?: number;
}

const WATCH_MIN_S = 300;

export class Reflector<T extends { readonly resourceVersion: string }> {
  readonly #options: ReflectorOptions<T>;
  readonly #random: () => number;
  readonly #views = new Map<string, T>();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  /** Where the next watch resumes; undefined when the list has to be read (again). */
  #version: string | undefined;
  #failures = 0;
  #isConnected = false;
  /** The last thing heard was 410 Gone. */
  #isStartedAnew = false;
  /** The resource is optional and not installed. */
  #isAbsent = false;
  #loop: Promise<void> | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** Resolves when the first list has been read. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Whether changes are arriving now, or there is known to be nothing that could change. */
  get isConnected(): boolean {
    return this.#isConnected || this.#isAbsent;
  }

  find(key: string): T | undefined {
    return this.#views.get(key);
  }

  list(): T[] {
    return [...this.#views.values()];
  }

  /** Takes in an object that came as the answer to a write or a read of our own, ahead of the watch. */
  accept(object: unknown): T | undefined {
    const view = this.#options.view(object);
    if (view !== undefined && !this.#isOutlived(view)) this.#put(view);
    return view;
  }

  /** The watch is past this version and has no such object: it was deleted before the answer was taken in. */
  #isOutlived(view: T): boolean {
    const isKnown = this.#views.has(this.#options.keyOf(view));
    return !isKnown && this.#version !== undefined && isOlderVersion(view, { resourceVersion: this.#version });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { sleep = (ms: number) => delay(ms, undefined, { signal }) } = this.#options;
    while (!signal.aborted) {
      let fault: { readonly error: unknown } | undefined;
      try {
        if (this.#version === undefined) await this.#readList(signal);
        const sawEvents = await this.#watch(signal);
        this.#failures = sawEvents ? 0 : this.#failures + 1;
      } catch (error) {
        if (signal.aborted) break;
        this.#failures += 1;
        if (isGone(error)) this.#startAnew();
        if (this.#options.isOptional && isNotFound(error)) this.#becomeEmpty();
        else fault = { error };
      }
      this.#isConnected = false;
      const pauseMs = this.#pauseMs();
      if (fault) this.#options.onError?.(fault.error, pauseMs);
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  #pauseMs(): number {
    const { backoffMinMs = 200, backoffMaxMs = 10_000 } = this.#options;
    if (this.#failures === 0) return Math.round(this.#random() * backoffMinMs);
    return backoffMs(this.#failures, { minMs: backoffMinMs, maxMs: backoffMaxMs, random: this.#random });
  }

  async #readList(signal: AbortSignal): Promise<void> {
    const { client, path, query, view, keyOf, pageSize = 1000 } = this.#options;
    const present = new Map<string, T>();
    let page: ListPage = { items: [], version: '', next: undefined };
    do {
      const next: Record<string, string> = page.next ? { continue: page.next } : {};
      page = readPage(
        await client.json({ method: 'GET', path, query: { ...query, limit: String(pageSize), ...next }, signal }),
      );
      for (const item of page.items) {
        const seen = view(item);
        if (seen !== undefined) present.set(keyOf(seen), seen);
      }
    } while (page.next);

    for (const key of [...this.#views.keys()]) if (!present.has(key)) this.#drop(key);
    for (const seen of present.values()) this.#put(seen);
    this.#version = page.version;
    this.#synced.resolve();
  }

  /** 410 after a long absence says that the server is back: the list is read at once, unless that was just done in vain. */
  #startAnew(): void {
    this.#version = undefined;
    if (!this.#isStartedAnew) this.#failures = 0;
    this.#isStartedAnew = true;
  }

  #becomeEmpty(): void {
    this.#version = undefined;
    this.#isAbsent = true;
    for (const key of [...this.#views.keys()]) this.#drop(key);
    this.#synced.resolve();
  }

  /** Returns whether the watch was any good, when it ends in good order: by the server, or since nothing happened. */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const { client, path, query, silenceMs = 150_000 } = this.#options;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error(`no answer for ${silenceMs} ms`)), silenceMs);
    let sawEvents = false;
    try {
      const body = await client.stream({
        method: 'GET',
        path,
        query: {
          ...query,
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: this.#version ?? '',
          timeoutSeconds: String(Math.round(WATCH_MIN_S * (1 + this.#random()))),
        },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      this.#isConnected = true;
      this.#isAbsent = false;
      for await (const line of linesOf(body)) {
        timer.refresh();
        this.#handle(JSON.parse(line));
        sawEvents = true;
        this.#isStartedAnew = false;
        this.#failures = 0;
      }
      return sawEvents;
    } catch (error) {
      const wasSilent = this.#isConnected && silence.signal.aborted && !signal.aborted;
      if (!wasSilent) throw error;
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  #handle(event: unknown): void {
    if (!isJsonObject(event) || !isJsonObject(event['object']))
      throw new Error('the watch sent something that is no event');
    const { type, object } = event;
    if (type === 'ERROR') throw statusError(object);
    const version = versionOf(object);
    const view = type === 'BOOKMARK' ? undefined : this.#options.view(object);
    if (view !== undefined) {
      if (type === 'DELETED') this.#drop(this.#options.keyOf(view), view);
      else this.#put(view);
    }
    this.#version = version;
  }

  #put(view: T): void {
    const key = this.#options.keyOf(view);
    const known = this.#views.get(key);
    if (known !== undefined && (known.resourceVersion === view.resourceVersion || isOlderVersion(view, known))) return;
    this.#views.set(key, view);
    this.#options.onChange(key, view);
  }

  #drop(key: string, last?: T): void {
    const known = this.#views.get(key);
    if (known === undefined) return;
    // A newer object of the same name, taken in by accept(), outlives the deletion of its predecessor.
    if (last !== undefined && isOlderVersion(last, known)) return;
    this.#views.delete(key);
    this.#options.onChange(key, undefined);
  }
}

/** Whole lines only: what a cut connection leaves of the last one is not an event, and the watch resumes before it. */
async function* linesOf(body: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

interface ListPage {
  readonly items: readonly unknown[];
  readonly version: string;
  readonly next: string | undefined;
}

const readPage = (list: unknown): ListPage => {
  if (!isJsonObject(list) || !isJsonObject(list['metadata']))
    throw new Error('the API server sent something that is no list');
  const { items, metadata } = list;
  const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
  return {
    items: Array.isArray(items) ? items : [],
    version: versionOf(list),
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
};

const versionOf = (object: unknown): string => {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version !== 'string') throw new Error('the API server sent an object without a resourceVersion');
  return version;
};

const statusError = (status: unknown): ApiError => {
  const { code, reason, message } = isJsonObject(status) ? status : {};
  return new ApiError(typeof code === 'number' ? code : 500, String(reason ?? ''), String(message ?? 'watch error'));
};
