// Field selectors as they stand in URLs: `spec.nodeName=a,status.phase!=Failed`. Only the labels that the real
// server knows for a kind are accepted; custom resources have name and namespace.

import { badRequest } from './api-error.ts';
import { isRecord, ownField } from './frozen-json.ts';
import type { KubeObject } from './object-store.ts';

export type FieldMatcher = (object: KubeObject) => boolean;

const everyKind = ['metadata.name', 'metadata.namespace'];

const ofKind: Record<string, string[]> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'type',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
};

// What an unset field selects as: Go's zero values.
const zeroValues: Record<string, string> = { 'spec.hostNetwork': 'false', 'spec.unschedulable': 'false' };

export function parseFieldSelector(text: string, resource: string): FieldMatcher {
  const supported = [...everyKind, ...(Object.hasOwn(ofKind, resource) ? (ofKind[resource] ?? []) : [])];
  const requirements = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const parsed = /^([^=!]+)(==|=|!=)([^=!]*)$/.exec(part.trim());
      if (parsed === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      const [, label = '', operator, wanted] = parsed;
      if (!supported.includes(label)) throw badRequest(`field label not supported: ${label}`);
      const path = label.split('.');
      const zero = zeroValues[label] ?? '';
      return (object: KubeObject) => (fieldText(object, path, zero) === wanted) === (operator !== '!=');
    });
  return (object) => requirements.every((matches) => matches(object));
}

function fieldText(object: KubeObject, path: string[], zero: string): string {
  let value: unknown = object;
  for (const key of path) value = isRecord(value) ? ownField(value, key) : undefined;
  return value === undefined || value === null ? zero : String(value);
}
