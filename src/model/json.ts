// JSON as the Go programs around us write it, and guards for JSON that strangers wrote.

export type JsonObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper nesting than this is no configuration that a person meant, and recursion over it could exhaust the stack. */
const MAX_DEPTH = 64;

export const isDeeperThan = (value: unknown, depth: number = MAX_DEPTH): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((child) => isDeeperThan(child, depth - 1));
};

/** Go's encoding/json escapes these inside strings; readers that compare texts rely on it. */
const GO_ESCAPES = /[<>&\u2028\u2029]/g;

export const goJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    GO_ESCAPES,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** One text for equal values, whatever the order of their keys: for comparing what was asked with what is asked. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
};

/** A user's text, shortened and quoted, so that it is safe and readable in an event or a log line. */
export const quote = (value: unknown, maxLength = 80): string => {
  if (isDeeperThan(value)) return `a value of more than ${MAX_DEPTH} levels`;
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxLength ? text : `${shorten(text, maxLength)}…`;
};

/** Half a character at the cut would come back from the API server as another text than was sent. */
export const shorten = (text: string, maxLength: number): string => text.slice(0, maxLength).toWellFormed();
