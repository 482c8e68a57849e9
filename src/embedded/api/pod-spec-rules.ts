// Which changes of a pod's spec an update may make.

import type { StatusCause } from './api-error.ts';
import { isRecord, type JsonRecord, jsonEqual } from './frozen-json.ts';

const forbidden: StatusCause = {
  reason: 'FieldValueForbidden',
  message:
    'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
  field: 'spec',
};

export function podSpecProblems(next: JsonRecord = {}, stored: JsonRecord = {}): StatusCause[] {
  if (jsonEqual(next, stored)) return [];
  const isAllowed =
    jsonEqual(fixedPart(next), fixedPart(stored)) &&
    keepsTolerations(next['tolerations'], stored['tolerations']) &&
    keepsGracePeriod(next['terminationGracePeriodSeconds'], stored['terminationGracePeriodSeconds']);
  return isAllowed ? [] : [forbidden];
}

function fixedPart(spec: JsonRecord): JsonRecord {
  const { activeDeadlineSeconds: _a, tolerations: _t, terminationGracePeriodSeconds: _g, ...fixed } = spec;
  return {
    ...fixed,
    containers: withoutImages(spec['containers']),
    initContainers: withoutImages(spec['initContainers']),
  };
}

function withoutImages(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container: unknown) => {
    if (!isRecord(container)) return container;
    const { image: _image, ...rest } = container;
    return rest;
  });
}

function keepsTolerations(next: unknown, stored: unknown): boolean {
  if (!Array.isArray(stored)) return true;
  return Array.isArray(next) && stored.every((toleration) => next.some((other) => jsonEqual(other, toleration)));
}

const keepsGracePeriod = (next: unknown, stored: unknown): boolean =>
  next === stored || (typeof stored === 'number' && stored < 0 && next === 1);
