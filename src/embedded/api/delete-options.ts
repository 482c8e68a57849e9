// The options of a DELETE, from its body or its query.

import { badRequest } from './api-error.ts';
import { isRecord, type JsonRecord } from './frozen-json.ts';
import type { RemoveOptions } from './object-store.ts';
import { parseJson } from './read-body.ts';

/** propagationPolicy and orphanDependents are accepted and mean nothing: nothing collects garbage here. */
export function parseDeleteOptions(body: string, query: URLSearchParams): RemoveOptions {
  const options = body === '' ? {} : parseJson(body);
  if (!isRecord(options)) throw badRequest('the body of a DELETE must be a DeleteOptions object');
  if ((options['kind'] ?? 'DeleteOptions') !== 'DeleteOptions') {
    throw badRequest(`decoded object cannot be converted to DeleteOptions: ${String(options['kind'])}`);
  }
  const preconditions = isRecord(options['preconditions']) ? options['preconditions'] : {};
  const gracePeriodSeconds = parseGrace(options['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined);
  const uid = textField(preconditions, 'uid');
  const resourceVersion = textField(preconditions, 'resourceVersion');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function parseGrace(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const seconds = Number(value);
  if (!Number.isInteger(seconds)) throw badRequest(`gracePeriodSeconds: Invalid value: ${JSON.stringify(value)}`);
  return seconds;
}

const textField = (record: JsonRecord, key: string): string | undefined => {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
};
