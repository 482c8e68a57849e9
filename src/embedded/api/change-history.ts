// The last changes of the cluster, for watches that resume and lists that page.
// Promises: holds the newest `size` changes in order of resourceVersion; says honestly when a version is too old to
// know what came after it; adding costs O(1) on average.

import type { KubeObject, ObjectChange, ResourceName } from './object-store.ts';

export interface RecordedChange extends ObjectChange {
  resourceVersion: number;
}

export class ChangeHistory {
  readonly #size: number;
  // Only the last #size entries count; older ones are dropped in bulk, so that adding does not shift the array.
  #changes: RecordedChange[] = [];
  // The version of the newest forgotten change: what happened after it is still known.
  #forgottenUpTo = 0;

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 1) throw new Error(`historySize must be a whole number above 0: ${size}`);
    this.#size = size;
  }

  add(change: RecordedChange): void {
    this.#changes.push(change);
    const newestForgotten = this.#changes[this.#changes.length - this.#size - 1];
    if (newestForgotten !== undefined) this.#forgottenUpTo = newestForgotten.resourceVersion;
    if (this.#changes.length >= 2 * this.#size) this.#changes = this.#changes.slice(-this.#size);
  }

  forgetAll(upTo: number): void {
    this.#forgottenUpTo = upTo;
    this.#changes = [];
  }

  get oldestResumable(): number {
    return this.#forgottenUpTo;
  }

  covers(resourceVersion: number): boolean {
    return resourceVersion >= this.#forgottenUpTo;
  }

  /** The changes of a resource after the given version, which must be covered. */
  since(resource: ResourceName, resourceVersion: number): RecordedChange[] {
    return this.#changes.slice(this.#firstAfter(resourceVersion)).filter((change) => change.resource === resource);
  }

  /** What the resource looked like at an earlier, covered version: the present state with the later changes undone. */
  rewind(
    resource: ResourceName,
    present: Iterable<readonly [string, KubeObject]>,
    resourceVersion: number,
    keyOf: (object: KubeObject) => string,
  ): Map<string, KubeObject> {
    const state = new Map(present);
    for (const change of this.since(resource, resourceVersion).reverse()) {
      if (change.previous === undefined) state.delete(keyOf(change.object));
      else state.set(keyOf(change.object), change.previous);
    }
    return state;
  }

  #firstAfter(resourceVersion: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#changes[middle];
      if (change !== undefined && change.resourceVersion <= resourceVersion) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
