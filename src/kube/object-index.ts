// Objects by something other than their name: the pods of a virtual machine, the claims of a network. Kept by the changes of
// a watch, so that a look-up costs what it finds and not what there is.
import type { ObjectView, WatchedObjects } from './watched-objects.ts';

export class ObjectIndex<T extends ObjectView> {
  /** Terms that each object was filed under, by its key: what has to be undone when it changes. */
  readonly #filed = new Map<string, readonly string[]>();
  readonly #keysByTerm = new Map<string, Set<string>>();
  readonly #objects: WatchedObjects<T>;

  constructor(objects: WatchedObjects<T>, termsOf: (object: T) => readonly string[]) {
    this.#objects = objects;
    objects.subscribe((key, after) => {
      for (const term of this.#filed.get(key) ?? []) this.#remove(term, key);
      const terms = after === undefined ? [] : termsOf(after);
      if (terms.length === 0) this.#filed.delete(key);
      else this.#filed.set(key, terms);
      for (const term of terms) this.#add(term, key);
    });
  }

  /** In the order in which they were filed. */
  find(term: string): readonly T[] {
    return [...(this.#keysByTerm.get(term) ?? [])].flatMap((key) => this.#objects.find(key) ?? []);
  }

  #add(term: string, key: string): void {
    const keys = this.#keysByTerm.get(term);
    if (keys === undefined) this.#keysByTerm.set(term, new Set([key]));
    else keys.add(key);
  }

  #remove(term: string, key: string): void {
    const keys = this.#keysByTerm.get(term);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByTerm.delete(term);
  }
}
