// All open watches, fed by the changes of the store.
// Promises: a watch sees every change after its resourceVersion exactly once and in order, as its selectors see it
// (an object that starts to match is ADDED, one that stops is DELETED); an event is made into text once, not once per
// watch; a version that is too old gets one ERROR event with code 410; nothing stays behind after a watch ends.

import { ApiError } from './api-error.ts';
import { type ApiCall, type CallFilter, matchesCall } from './call-log.ts';
import type { MemoryObjectStore } from './memory-object-store.ts';
import type { ObjectFilter } from './object-filter.ts';
import { type WatchEventType, watchEventLine } from './object-json.ts';
import type { KubeObject, ObjectChange } from './object-store.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-registry.ts';
import type { WatchStream } from './watch-stream.ts';

export interface WatchRequest {
  call: ApiCall;
  definition: ResourceDefinition;
  filter: ObjectFilter;
  /** undefined or 0: the present state first, as ADDED events. */
  resourceVersion: number | undefined;
  allowsBookmarks: boolean;
  /** 0: no limit. */
  timeoutSeconds: number;
}

interface Watch extends WatchRequest {
  stream: WatchStream;
  // Events up to this version are not for this watch: it may have asked to start in the future.
  startsAfter: number;
  timer?: NodeJS.Timeout;
}

export class WatchHub {
  readonly #store: MemoryObjectStore;
  readonly #shouldCut: (call: ApiCall) => boolean;
  readonly #bookmarkIntervalMs: number;
  readonly #watches = new Map<string, Set<Watch>>();
  readonly #unsubscribe: () => void;
  // Runs only while there are watches.
  #bookmarkTimer: NodeJS.Timeout | undefined;

  constructor(store: MemoryObjectStore, bookmarkIntervalMs: number, shouldCut: (call: ApiCall) => boolean) {
    this.#store = store;
    this.#bookmarkIntervalMs = bookmarkIntervalMs;
    this.#shouldCut = shouldCut;
    this.#unsubscribe = store.subscribe((change) => this.#tell(change));
  }

  get openWatches(): readonly ApiCall[] {
    return [...this.#all()].map((watch) => watch.call);
  }

  open(request: WatchRequest, openStream: (onClose: () => void) => WatchStream): void {
    const stream = openStream(() => this.#forget(watch));
    const watch: Watch = { ...request, stream, startsAfter: request.resourceVersion ?? 0 };
    try {
      this.#sendMissed(watch);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      stream.send(`{"type":"ERROR","object":${JSON.stringify(error.status)}}\n`);
      stream.end();
      return;
    }
    if (!stream.isOpen) return;
    const { plural } = request.definition;
    const ofResource = this.#watches.get(plural) ?? new Set();
    this.#watches.set(plural, ofResource.add(watch));
    if (request.timeoutSeconds > 0) {
      watch.timer = setTimeout(() => this.#timeOut(watch), request.timeoutSeconds * 1000).unref();
    }
    this.#bookmarkTimer ??= setInterval(() => this.sendBookmarks(), this.#bookmarkIntervalMs).unref();
  }

  drop(filter: CallFilter, abruptly: boolean): number {
    const dropped = [...this.#all()].filter((watch) => matchesCall(filter, watch.call));
    for (const watch of dropped) {
      if (abruptly) watch.stream.destroy();
      else watch.stream.end();
      this.#forget(watch);
    }
    return dropped.length;
  }

  sendBookmarks(): void {
    for (const watch of this.#all()) this.#sendBookmark(watch);
  }

  stop(): void {
    this.#unsubscribe();
    this.drop({}, true);
  }

  #sendMissed(watch: Watch): void {
    const { definition, filter, resourceVersion } = watch;
    if (resourceVersion === undefined || resourceVersion === 0) {
      for (const object of this.#store.list(definition.plural)) {
        if (filter.matches(object)) this.#send(watch, watchEventLine('ADDED', object));
      }
      return;
    }
    for (const change of this.#store.changesSince(definition.plural, resourceVersion)) {
      const event = eventFor(watch, change);
      if (event !== undefined) this.#send(watch, watchEventLine(event.type, event.object));
    }
  }

  #tell(change: ObjectChange): void {
    const watches = this.#watches.get(change.resource);
    if (watches === undefined) return;
    const lines = new Map<WatchEventType, Buffer>();
    for (const watch of watches) {
      if (Number(change.object.metadata.resourceVersion) <= watch.startsAfter) continue;
      const event = eventFor(watch, change);
      if (event === undefined) continue;
      const line = lines.get(event.type) ?? Buffer.from(watchEventLine(event.type, event.object));
      lines.set(event.type, line);
      this.#send(watch, line);
    }
  }

  #send(watch: Watch, line: string | Buffer): void {
    if (watch.stream.isOpen && this.#shouldCut(watch.call)) watch.stream.sendHalfAndDestroy(line);
    else watch.stream.send(line);
  }

  #sendBookmark(watch: Watch): void {
    if (!watch.allowsBookmarks) return;
    const { definition } = watch;
    const version = Math.max(this.#store.resourceVersion, watch.startsAfter);
    const object = {
      kind: definition.kind,
      apiVersion: apiVersionOf(definition),
      metadata: { resourceVersion: String(version) },
    };
    watch.stream.send(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`);
  }

  #timeOut(watch: Watch): void {
    // The real server too tells where it got to before it ends a watch.
    this.#sendBookmark(watch);
    watch.stream.end();
    this.#forget(watch);
  }

  #forget(watch: Watch): void {
    clearTimeout(watch.timer);
    const ofResource = this.#watches.get(watch.definition.plural);
    ofResource?.delete(watch);
    if (ofResource?.size === 0) this.#watches.delete(watch.definition.plural);
    if (this.#watches.size > 0) return;
    clearInterval(this.#bookmarkTimer);
    this.#bookmarkTimer = undefined;
  }

  *#all(): Generator<Watch> {
    for (const ofResource of this.#watches.values()) yield* ofResource;
  }
}

/** The change as the watch sees it through its filter; undefined if it does not see it. */
function eventFor(
  { filter }: WatchRequest,
  { type, object, previous }: ObjectChange,
): { type: WatchEventType; object: KubeObject } | undefined {
  const did = previous !== undefined && filter.matches(previous);
  const does = type !== 'DELETED' && filter.matches(object);
  if (!did && !does) return undefined;
  if (does) return { type: did ? 'MODIFIED' : 'ADDED', object };
  if (type === 'DELETED' || previous === undefined) return { type: 'DELETED', object };
  // It left the selection: the watcher gets the last state it could see, at the version of the change.
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}
