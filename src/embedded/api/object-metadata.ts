// The part of the metadata that the server keeps for itself, and the form in which it stores the rest.

import { randomInt } from 'node:crypto';
import type { KubeObject, ObjectMeta } from './object-store.ts';

// The real server's alphabet: no vowels and no look-alikes, so that no words come out.
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;

export const generatedName = (prefix: string): string =>
  prefix + Array.from({ length: suffixLength }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join('');

/** Kubernetes keeps times in whole seconds. */
export const timestamp = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const omittedWhenEmpty = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'generateName'] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Drops what Go's `omitempty` would drop: an emptied map of annotations is stored as no annotations at all. */
export function withoutEmptyFields(metadata: ObjectMeta): ObjectMeta {
  const kept = { ...metadata };
  for (const key of omittedWhenEmpty) {
    if (isEmpty(kept[key])) delete kept[key];
  }
  return kept;
}

/** The metadata of an update, with everything that an update cannot change taken from the stored object. */
export function updatedMetadata(next: Partial<ObjectMeta>, stored: ObjectMeta): ObjectMeta {
  const {
    deletionTimestamp: _timestamp,
    deletionGracePeriodSeconds: _grace,
    generateName: _generateName,
    generation: _generation,
    namespace: _namespace,
    ...free
  } = next;
  return withoutEmptyFields({
    ...free,
    name: stored.name,
    ...(stored.namespace === undefined ? {} : { namespace: stored.namespace }),
    ...(stored.generateName === undefined ? {} : { generateName: stored.generateName }),
    uid: stored.uid,
    resourceVersion: stored.resourceVersion,
    ...(stored.generation === undefined ? {} : { generation: stored.generation }),
    creationTimestamp: stored.creationTimestamp,
    ...(stored.deletionTimestamp === undefined ? {} : { deletionTimestamp: stored.deletionTimestamp }),
    ...(stored.deletionGracePeriodSeconds === undefined
      ? {}
      : { deletionGracePeriodSeconds: stored.deletionGracePeriodSeconds }),
  });
}

/** Kind, apiVersion and metadata first, as the real server writes them; object-json.ts relies on it. */
export const inCanonicalOrder = (object: KubeObject): KubeObject => {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
};
