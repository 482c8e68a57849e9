// What the real server demands of names, labels, annotations and finalizers, with its wording.

import type { StatusCause } from './api-error.ts';
import type { ObjectMeta } from './object-store.ts';

const maxAnnotationBytes = 262_144;
const maxNameLength = 253;

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const isSubdomain = new RegExp(`^${subdomain}$`);
const isQualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const isLabelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

export function nameProblems(metadata: Partial<ObjectMeta>): StatusCause[] {
  const { name, generateName } = metadata;
  if (name === undefined || name === '') {
    if (generateName !== undefined && generateName !== '') return [];
    const message = 'Required value: name or generateName is required';
    return [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }];
  }
  if (name.length > maxNameLength) {
    return [invalidValue('metadata.name', name, `must be no more than ${maxNameLength} characters`)];
  }
  if (isSubdomain.test(name)) return [];
  const why = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
  return [invalidValue('metadata.name', name, why)];
}

/** `stored` is absent for a create. */
export function metadataProblems(next: Partial<ObjectMeta>, stored?: ObjectMeta): StatusCause[] {
  return [
    ...(next.labels === stored?.labels ? [] : labelProblems(next.labels ?? {})),
    ...(next.annotations === stored?.annotations ? [] : annotationProblems(next.annotations ?? {})),
    ...finalizerProblems(next.finalizers ?? [], stored),
  ];
}

function labelProblems(labels: Record<string, string>): StatusCause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const problems = keyProblems('metadata.labels', key);
    if (value.length > 63) problems.push(invalidValue('metadata.labels', value, 'must be no more than 63 characters'));
    if (!isLabelValue.test(value)) {
      const why =
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
      problems.push(invalidValue('metadata.labels', value, why));
    }
    return problems;
  });
}

function annotationProblems(annotations: Record<string, string>): StatusCause[] {
  const problems = Object.keys(annotations).flatMap((key) => keyProblems('metadata.annotations', key.toLowerCase()));
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes <= maxAnnotationBytes) return problems;
  const message = `Too long: may not be more than ${maxAnnotationBytes} bytes`;
  return [...problems, { reason: 'FieldValueTooLong', message, field: 'metadata.annotations' }];
}

function finalizerProblems(finalizers: string[], stored: ObjectMeta | undefined): StatusCause[] {
  if (stored?.deletionTimestamp === undefined) return [];
  const added = finalizers.filter((finalizer) => !(stored.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  const names = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [{ reason: 'FieldValueForbidden', message, field: 'metadata.finalizers' }];
}

function keyProblems(field: string, key: string): StatusCause[] {
  const parts = key.split('/');
  const [prefix, name = ''] = parts.length > 1 ? parts : [undefined, key];
  const isGood =
    parts.length <= 2 &&
    name.length <= 63 &&
    isQualifiedPart.test(name) &&
    (prefix === undefined || (prefix.length <= maxNameLength && isSubdomain.test(prefix)));
  if (isGood) return [];
  const why =
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character, with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  return [invalidValue(field, key, why)];
}

export const invalidValue = (field: string, value: unknown, why: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});
