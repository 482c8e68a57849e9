// JSON merge patch, RFC 7386. Pure: unchanged parts of the target are shared with the result.

import { isRecord, isUnsafeKey, type JsonRecord, ownField } from './frozen-json.ts';

export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (isUnsafeKey(key)) continue;
    if (value === null) delete result[key];
    else result[key] = applyMergePatch(ownField(result, key), value);
  }
  return result;
}
