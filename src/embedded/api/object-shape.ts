// Whether a decoded body has the shape of a Kubernetes object. The real server finds such faults while it decodes
// JSON into its Go types; only the parts that every kind shares are checked here.

import { isRecord } from './frozen-json.ts';
import type { KubeObject } from './object-store.ts';

const strings = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];

/** What is wrong with the shape, in the words of Go's JSON decoder; undefined if it is sound. */
export function shapeProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return wrongType(value, '', 'map[string]interface {}');
  if (!isRecord(value['metadata'])) return wrongType(value['metadata'], 'metadata', 'v1.ObjectMeta');
  const metadata = value['metadata'];
  for (const key of strings) {
    const field = metadata[key];
    if (field !== undefined && field !== null && typeof field !== 'string') {
      return wrongType(field, `ObjectMeta.metadata.${key}`, 'string');
    }
  }
  return (
    problemOfStrings(metadata['labels'], 'labels') ??
    problemOfStrings(metadata['annotations'], 'annotations') ??
    problemOfStrings(metadata['finalizers'], 'finalizers', 'list') ??
    problemOfRecords(metadata['ownerReferences']) ??
    problemOfPart(value['spec'], 'spec') ??
    problemOfPart(value['status'], 'status')
  );
}

/** To be used after `shapeProblem` found nothing. */
export const isKubeObject = (value: unknown): value is KubeObject => shapeProblem(value) === undefined;

function problemOfStrings(value: unknown, field: string, form: 'map' | 'list' = 'map'): string | undefined {
  if (value === undefined || value === null) return undefined;
  const isRightForm = form === 'list' ? Array.isArray(value) : isRecord(value);
  const goType = form === 'list' ? '[]string' : 'map[string]string';
  if (!isRightForm) return wrongType(value, `ObjectMeta.metadata.${field}`, goType);
  const wrong = Object.values(value).find((item) => typeof item !== 'string');
  return wrong === undefined ? undefined : wrongType(wrong, `ObjectMeta.metadata.${field}`, 'string');
}

function problemOfRecords(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const isSound = Array.isArray(value) && value.every(isRecord);
  return isSound ? undefined : wrongType(value, 'ObjectMeta.metadata.ownerReferences', '[]v1.OwnerReference');
}

const problemOfPart = (value: unknown, field: string): string | undefined =>
  value === undefined || value === null || isRecord(value) ? undefined : wrongType(value, field, 'struct');

function wrongType(value: unknown, field: string, goType: string): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go struct field ${field} of type ${goType}`;
}
