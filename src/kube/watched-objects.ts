// All objects of one kind, reduced to a view, kept equal to the server's by a reflector. Several parts may follow the same
// objects: each subscribes, and the server sees one watch. A kind that is not installed counts as one without objects, until
// it is.
import { KnownError } from '../model/errors.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import { Reflector } from './reflector.ts';
import { placeOf, type Resource, resourcePath } from './resource.ts';

/** What every view has; `key` is `namespace/name`. */
export interface ObjectView {
  readonly key: string;
  readonly resourceVersion: string;
}

export interface WatchSpec<T extends ObjectView> {
  readonly resource: Resource;
  readonly labelSelector?: string;
  readonly view: (object: unknown) => T | undefined;
}

export interface WatchedObjectsOptions {
  readonly client: Pick<ApiClient, 'json' | 'stream'>;
  readonly onError: (resource: string, error: unknown, nextTryMs: number) => void;
}

/** `after` is undefined when the object is gone. */
export type ChangeListener<T> = (key: string, after: T | undefined) => void;

export class WatchedObjects<T extends ObjectView> {
  readonly reflector: Reflector<T>;
  readonly #client: WatchedObjectsOptions['client'];
  readonly #resource: Resource;
  readonly #listeners: ChangeListener<T>[] = [];

  constructor({ resource, labelSelector, view }: WatchSpec<T>, { client, onError }: WatchedObjectsOptions) {
    this.#client = client;
    this.#resource = resource;
    this.reflector = new Reflector<T>({
      client,
      path: resourcePath(resource),
      ...(labelSelector !== undefined && { query: { labelSelector } }),
      view,
      keyOf: ({ key }) => key,
      onChange: (key, after) => {
        for (const listener of this.#listeners) listener(key, after);
      },
      onError: (error, nextTryMs) => onError(resource.plural, error, nextTryMs),
      isOptional: true,
    });
  }

  get resource(): Resource {
    return this.#resource;
  }

  /** Before the watch starts: a listener hears of every object that there is. */
  subscribe(listener: ChangeListener<T>): void {
    this.#listeners.push(listener);
  }

  find(key: string): T | undefined {
    return this.reflector.find(key);
  }

  list(): readonly T[] {
    return this.reflector.list();
  }

  /** Takes in the answer to a write of ours, ahead of the watch. */
  accept(object: unknown): T | undefined {
    return this.reflector.accept(object);
  }

  /** Reads the object from the server itself; undefined when it is gone. */
  async refresh(key: string, signal: AbortSignal): Promise<T | undefined> {
    try {
      const path = resourcePath(this.#resource, placeOf(key));
      return this.reflector.accept(await this.#client.json({ method: 'GET', path, signal }));
    } catch (cause) {
      if (isNotFound(cause)) return undefined;
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new KnownError('apiUnreachable', `${this.#resource.kind} ${key} cannot be read: ${detail}`, { cause });
    }
  }
}
