// A store whose changes are kept for tests to look at.
import { ApiError } from './api-error.ts';
import { MemoryObjectStore } from './memory-object-store.ts';
import type { ObjectChange } from './object-store.ts';

export const storeWithLog = (historySize = 100) => {
  const store = new MemoryObjectStore({ historySize, now: () => new Date('2030-01-02T03:04:05.678Z') });
  const changes: ObjectChange[] = [];
  store.subscribe((change) => changes.push(change));
  const seen = () => changes.map(({ type, object }) => `${type} ${object.metadata.name}`);
  return { store, changes, seen };
};

/** The status code that the act is refused with; undefined when it is not. */
export const codeOf = (act: () => unknown): number | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};
