// JSON trees that never change once they are in the store.
// Promises: a tree made by `frozenCopy` is frozen all the way down, holds nothing that JSON cannot carry, and parts
// of it that go into another `frozenCopy` are shared, not copied: a write costs what it changes, and handing an
// object out costs nothing.

const frozenTrees = new WeakSet<object>();

export type JsonRecord = Record<string, unknown>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Go's JSON decoder would drop such a key as an unknown field; in JavaScript assigning it changes the prototype. */
export const isUnsafeKey = (key: string): boolean => key === '__proto__';

/** The value of a field the object has itself: never something inherited, such as `constructor`. */
export const ownField = (record: JsonRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

export function frozenCopy<T>(value: T): T;
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (frozenTrees.has(value)) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return frozenCopy<unknown>(value.toJSON());
  const copy = Array.isArray(value) ? value.map((item) => frozenCopy<unknown>(item) ?? null) : frozenRecord(value);
  frozenTrees.add(copy);
  return Object.freeze(copy);
}

function frozenRecord(value: object): JsonRecord {
  const copy: JsonRecord = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined || typeof field === 'function' || isUnsafeKey(key)) continue;
    copy[key] = frozenCopy<unknown>(field);
  }
  return copy;
}

/** A copy that may be edited. */
export function mutableCopy<T>(value: T): T;
export function mutableCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mutableCopy<unknown>(item));
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const [key, field] of Object.entries(value)) {
    if (!isUnsafeKey(key)) copy[key] = mutableCopy(field);
  }
  return copy;
}

/** Whether two values are the same JSON, whatever the order of fields; a field that is undefined counts as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keysOfA = definedKeys(a);
  if (keysOfA.length !== definedKeys(b).length) return false;
  return keysOfA.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}

const definedKeys = (record: JsonRecord): string[] => Object.keys(record).filter((key) => record[key] !== undefined);
