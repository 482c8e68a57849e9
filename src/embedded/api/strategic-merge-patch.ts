// Strategic merge patch: a merge patch that knows which lists are keyed. Pure: unchanged parts are shared.
// Directives: `$patch: delete|replace|merge`, `$retainKeys`, `$deleteFromPrimitiveList/<field>`; a
// `$setElementOrder/<field>` only says in which order the elements go that both sides have.

import { badRequest } from './api-error.ts';
import { isRecord, isUnsafeKey, type JsonRecord, jsonEqual, ownField } from './frozen-json.ts';
import { type ListStrategy, mergeStrategiesOf } from './merge-strategies.ts';

type Strategies = Record<string, ListStrategy>;

const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

export function applyStrategicMergePatch(resource: string, target: unknown, patch: unknown): unknown {
  if (!isRecord(patch))
    throw badRequest('json: cannot unmarshal the patch into Go value of type map[string]interface {}');
  return mergeRecord(isRecord(target) ? target : {}, patch, '', mergeStrategiesOf(resource));
}

function mergeRecord(target: JsonRecord, patch: JsonRecord, path: string, strategies: Strategies): JsonRecord {
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  if (patch['$patch'] === 'delete') return {};
  const result = retained(target, patch['$retainKeys']);
  for (const [key, value] of Object.entries(patch)) {
    if (isUnsafeKey(key) || key.startsWith('$')) continue;
    const fieldPath = path === '' ? key : `${path}.${key}`;
    if (value === null) delete result[key];
    else result[key] = mergeField(ownField(result, key), value, fieldPath, strategies);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deletePrefix)) removePrimitives(result, key.slice(deletePrefix.length), value);
    if (key.startsWith(orderPrefix)) reorder(result, key.slice(orderPrefix.length), value, path, strategies);
  }
  return result;
}

const strategyAt = (strategies: Strategies, path: string): ListStrategy | undefined =>
  Object.hasOwn(strategies, path) ? strategies[path] : undefined;

function mergeField(target: unknown, patch: unknown, path: string, strategies: Strategies): unknown {
  if (isRecord(patch)) return mergeRecord(isRecord(target) ? target : {}, patch, path, strategies);
  if (!Array.isArray(patch)) return patch;
  const strategy = strategyAt(strategies, path);
  const current: unknown[] = Array.isArray(target) ? target : [];
  if (strategy === undefined) return patch;
  if (strategy === 'set') return [...current, ...patch.filter((item) => !current.includes(item))];
  return mergeKeyedList(current, patch, path, strategy.mergeKey, strategies);
}

function mergeKeyedList(
  current: unknown[],
  patch: unknown[],
  path: string,
  mergeKey: string,
  strategies: Strategies,
): unknown[] {
  const replaces = patch.some((item) => isRecord(item) && item['$patch'] === 'replace');
  let result = replaces ? [] : [...current];
  for (const item of patch) {
    if (!isRecord(item)) throw badRequest(`expected objects in the list ${path}`);
    if (item['$patch'] === 'replace' && !Object.hasOwn(item, mergeKey)) continue;
    if (!Object.hasOwn(item, mergeKey)) {
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    }
    const isSame = (other: unknown): boolean => isRecord(other) && jsonEqual(other[mergeKey], item[mergeKey]);
    if (item['$patch'] === 'delete') {
      result = result.filter((other) => !isSame(other));
      continue;
    }
    const index = result.findIndex(isSame);
    const found = result[index];
    const merged = mergeRecord(isRecord(found) ? found : {}, item, `${path}.*`, strategies);
    if (index === -1) result.push(merged);
    else result[index] = merged;
  }
  return result;
}

function removePrimitives(result: JsonRecord, key: string, unwanted: unknown): void {
  const list = ownField(result, key);
  if (Array.isArray(list) && Array.isArray(unwanted)) result[key] = list.filter((item) => !unwanted.includes(item));
}

/** Elements named by the order come in that order; the others keep their place after them. */
function reorder(result: JsonRecord, key: string, order: unknown, path: string, strategies: Strategies): void {
  const list = ownField(result, key);
  const strategy = strategyAt(strategies, path === '' ? key : `${path}.${key}`);
  if (!Array.isArray(list) || !Array.isArray(order) || strategy === undefined) return;
  const idOf = (item: unknown): unknown => (strategy !== 'set' && isRecord(item) ? item[strategy.mergeKey] : item);
  const wanted = order.map(idOf);
  const rank = (item: unknown): number => {
    const index = wanted.findIndex((id) => jsonEqual(id, idOf(item)));
    return index === -1 ? wanted.length : index;
  };
  result[key] = [...list].sort((a, b) => rank(a) - rank(b));
}

function retained(target: JsonRecord, keys: unknown): JsonRecord {
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

const withoutDirectives = (patch: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$') && !isUnsafeKey(key)));
