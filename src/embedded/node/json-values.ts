// Reading values out of JSON that somebody else wrote: what is missing or of another type counts as empty.

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectAt = (object: JsonObject | undefined, key: string): JsonObject => {
  const value = object?.[key];
  return isObject(value) ? value : {};
};

export const objectsAt = (object: JsonObject | undefined, key: string): JsonObject[] => {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

export const stringAt = (object: JsonObject | undefined, key: string): string => {
  const value = object?.[key];
  return typeof value === 'string' ? value : '';
};

export const stringsAt = (object: JsonObject | undefined, key: string): string[] => {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

export const numberAt = (object: JsonObject | undefined, key: string): number => {
  const value = object?.[key];
  return typeof value === 'number' ? value : 0;
};

export const parseObject = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('not a JSON object');
  return value;
};
