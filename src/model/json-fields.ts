// Fields of objects that strangers wrote, one at a time: what is not of the expected kind reads as if it were not there.
import { isJsonObject, type JsonObject } from './json.ts';

export const objectIn = (value: unknown, field: string): JsonObject => {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return isJsonObject(inner) ? inner : {};
};

export const textIn = (value: unknown, field: string): string | undefined => {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return typeof inner === 'string' ? inner : undefined;
};

export const listIn = (value: unknown, field: string): readonly unknown[] => {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return Array.isArray(inner) ? inner : [];
};

/** True when the field holds an object, be it an empty one: the API's way to choose one of several kinds. */
export const hasObject = (value: unknown, field: string): boolean => isJsonObject(value) && isJsonObject(value[field]);
