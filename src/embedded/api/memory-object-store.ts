// The object store of the embedded cluster, in memory.
// Promises, beyond those of ObjectStore: a write that changes nothing gets no resourceVersion and no change event;
// a listener that writes does not make other listeners see the later change first; list order is that of etcd
// (namespace, then name). Objects are frozen and share unchanged parts, so reading copies nothing.

import { randomUUID } from 'node:crypto';
import { alreadyExists, conflict, expired, notFound } from './api-error.ts';
import { ChangeHistory, type RecordedChange } from './change-history.ts';
import { failedPrecondition, gracePeriodOf, hasFinalizers, isDeletable, shortensGrace } from './deletion-rules.ts';
import { frozenCopy, jsonEqual, mutableCopy } from './frozen-json.ts';
import { generatedName, inCanonicalOrder, timestamp, updatedMetadata, withoutEmptyFields } from './object-metadata.ts';
import type {
  KubeObject,
  NewKubeObject,
  ObjectChange,
  ObjectRef,
  ObjectStore,
  RemoveOptions,
  ResourceName,
} from './object-store.ts';
import { apiVersionOf, isCounted, type ResourceDefinition, ResourceRegistry } from './resource-registry.ts';

export interface MemoryObjectStoreOptions {
  registry?: ResourceRegistry;
  historySize?: number;
  now?: () => Date;
}

const defaultHistorySize = 5_000;
const defaultNamespace = 'default';

export class MemoryObjectStore implements ObjectStore {
  readonly #registry: ResourceRegistry;
  readonly #now: () => Date;
  readonly #history: ChangeHistory;
  readonly #collections = new Map<ResourceName, Map<string, KubeObject>>();
  // Sorted keys per resource, dropped whenever an object comes or goes.
  readonly #order = new Map<ResourceName, string[]>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  // Changes not told yet; non-empty beyond one entry only while a listener itself writes.
  readonly #untold: ObjectChange[] = [];
  #isTelling = false;
  #resourceVersion = 1;

  constructor(options: MemoryObjectStoreOptions = {}) {
    this.#registry = options.registry ?? new ResourceRegistry();
    this.#now = options.now ?? (() => new Date());
    this.#history = new ChangeHistory(options.historySize ?? defaultHistorySize);
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  get oldestResumable(): number {
    return this.#history.oldestResumable;
  }

  find(ref: ObjectRef): KubeObject | undefined {
    return this.#collections.get(ref.resource)?.get(this.#keyOf(ref));
  }

  get(ref: ObjectRef): KubeObject {
    const object = this.find(ref);
    if (object === undefined) throw notFound(this.#definition(ref.resource), ref.name);
    return object;
  }

  list(resource: ResourceName, namespace?: string): KubeObject[] {
    const collection = this.#collections.get(resource);
    if (collection === undefined) return [];
    let order = this.#order.get(resource);
    if (order === undefined) {
      order = [...collection.keys()].sort();
      this.#order.set(resource, order);
    }
    const objects: KubeObject[] = [];
    for (const key of order) {
      const object = collection.get(key);
      if (object !== undefined && (namespace === undefined || object.metadata.namespace === namespace)) {
        objects.push(object);
      }
    }
    return objects;
  }

  /** The list as it was at an earlier version; throws an expired ApiError when that is no longer known. */
  listAt(resource: ResourceName, namespace: string | undefined, resourceVersion: number): KubeObject[] {
    if (!this.#history.covers(resourceVersion)) {
      throw expired(`The resourceVersion for the provided list is too old: ${resourceVersion}`);
    }
    if (this.#history.since(resource, resourceVersion).length === 0) return this.list(resource, namespace);
    const present = this.#collections.get(resource) ?? new Map<string, KubeObject>();
    const past = this.#history.rewind(resource, present, resourceVersion, objectKey);
    return [...past]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object)
      .filter((object) => namespace === undefined || object.metadata.namespace === namespace);
  }

  /** The changes of a resource after a version; throws an expired ApiError when some of them are forgotten. */
  changesSince(resource: ResourceName, resourceVersion: number): RecordedChange[] {
    if (!this.#history.covers(resourceVersion)) {
      throw expired(`too old resource version: ${resourceVersion} (${this.#history.oldestResumable})`);
    }
    return this.#history.since(resource, resourceVersion);
  }

  /** As compaction does in a busy cluster: no version handed out so far can be resumed from. */
  expireHistory(): void {
    this.#resourceVersion += 1;
    this.#history.forgetAll(this.#resourceVersion);
  }

  create(resource: ResourceName, object: NewKubeObject): KubeObject {
    const definition = this.#definition(resource);
    const { deletionTimestamp: _timestamp, deletionGracePeriodSeconds: _grace, ...given } = object.metadata;
    const name = given.name ?? generatedName(given.generateName ?? '');
    const { namespace = defaultNamespace, ...unscoped } = given;
    const ref: ObjectRef = { resource, name, ...(definition.namespaced ? { namespace } : {}) };
    if (this.find(ref) !== undefined) throw alreadyExists(definition, name);
    const created: KubeObject = {
      ...object,
      kind: definition.kind,
      apiVersion: apiVersionOf(definition),
      metadata: withoutEmptyFields({
        ...unscoped,
        name,
        ...(definition.namespaced ? { namespace } : {}),
        uid: randomUUID(),
        resourceVersion: '',
        ...(isCounted(definition) ? { generation: 1 } : {}),
        creationTimestamp: timestamp(this.#now()),
      }),
    };
    return this.#commit('ADDED', resource, created, undefined);
  }

  modify(ref: ObjectRef, change: (draft: KubeObject) => void): KubeObject {
    const draft = mutableCopy(this.get(ref));
    change(draft);
    return this.replace(ref, draft);
  }

  /** Stores `next` in place of the object. What the server owns (uid, deletionTimestamp, generation…) stays. */
  replace(ref: ObjectRef, next: KubeObject): KubeObject {
    const stored = this.get(ref);
    const updated: KubeObject = {
      ...next,
      kind: stored.kind,
      apiVersion: stored.apiVersion,
      metadata: updatedMetadata(next.metadata, stored.metadata),
    };
    if (jsonEqual(updated, stored)) return stored;
    if (isCounted(this.#definition(ref.resource)) && this.#isSpecChange(ref.resource, updated, stored)) {
      updated.metadata.generation = (stored.metadata.generation ?? 0) + 1;
    }
    // The write that takes the last finalizer away is itself the deletion: watchers see one DELETED, no MODIFIED.
    return this.#commit(isDeletable(updated) ? 'DELETED' : 'MODIFIED', ref.resource, updated, stored);
  }

  remove(ref: ObjectRef, options: RemoveOptions = {}): { object: KubeObject; isGone: boolean } {
    const stored = this.get(ref);
    const refusal = failedPrecondition(stored, options);
    if (refusal !== undefined) throw conflict(this.#definition(ref.resource), ref.name, refusal);
    const graceSeconds = gracePeriodOf(ref.resource, stored, options.gracePeriodSeconds);
    if (graceSeconds === 0 && !hasFinalizers(stored)) {
      return { object: this.#commit('DELETED', ref.resource, stored, stored), isGone: true };
    }
    if (!shortensGrace(stored, graceSeconds)) return { object: stored, isGone: false };
    const deletionTimestamp = timestamp(new Date(this.#now().getTime() + graceSeconds * 1000));
    const marked: KubeObject = {
      ...stored,
      metadata: { ...stored.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds },
    };
    return { object: this.#commit('MODIFIED', ref.resource, marked, stored), isGone: false };
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    // A wrapper, so that one function subscribed twice counts as two subscriptions.
    const own = (change: ObjectChange): void => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #commit(
    type: ObjectChange['type'],
    resource: ResourceName,
    next: KubeObject,
    previous: KubeObject | undefined,
  ): KubeObject {
    this.#resourceVersion += 1;
    const metadata = { ...next.metadata, resourceVersion: String(this.#resourceVersion) };
    const object = frozenCopy(inCanonicalOrder({ ...next, metadata }));
    const collection = this.#collections.get(resource) ?? new Map<string, KubeObject>();
    this.#collections.set(resource, collection);
    if (type === 'DELETED') collection.delete(objectKey(object));
    else collection.set(objectKey(object), object);
    if (type !== 'MODIFIED') this.#order.delete(resource);
    const change = {
      type,
      resource,
      object,
      ...(previous === undefined ? {} : { previous }),
      resourceVersion: this.#resourceVersion,
    };
    this.#history.add(change);
    this.#tell(change);
    return object;
  }

  #tell(change: ObjectChange): void {
    this.#untold.push(change);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
      for (const listener of [...this.#listeners]) tellOne(listener, next);
    }
    this.#isTelling = false;
  }

  #isSpecChange(resource: ResourceName, updated: KubeObject, stored: KubeObject): boolean {
    const { metadata: _a, ...before } = stored;
    const { metadata: _b, ...after } = updated;
    if (this.#definition(resource).statusSubresource) {
      delete before.status;
      delete after.status;
    }
    return !jsonEqual(after, before);
  }

  #definition(resource: ResourceName): ResourceDefinition {
    const definition = this.#registry.find(resource);
    if (definition === undefined) throw new Error(`resource must be registered: ${resource}`);
    return definition;
  }

  #keyOf(ref: ObjectRef): string {
    return this.#definition(ref.resource).namespaced
      ? `${ref.namespace ?? defaultNamespace}/${ref.name}`
      : `/${ref.name}`;
  }
}

const objectKey = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;

function tellOne(listener: (change: ObjectChange) => void, change: ObjectChange): void {
  try {
    listener(change);
  } catch (error) {
    // A broken listener is a bug of its owner: it must surface, but neither undo the write nor silence the others.
    queueMicrotask(() => {
      throw error;
    });
  }
}
