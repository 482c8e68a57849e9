// Which objects a list, watch or deletecollection is about: namespace, name and selectors of the request.

import { type FieldMatcher, parseFieldSelector } from './field-selector.ts';
import { type LabelMatcher, parseLabelSelector } from './label-selector.ts';
import type { KubeObject } from './object-store.ts';
import type { ResourceTarget } from './request-target.ts';

export interface ObjectFilter {
  matches(object: KubeObject): boolean;
  /** Whether there are selectors: then a list cannot say how many objects remain. */
  isSelective: boolean;
}

export function parseObjectFilter(target: ResourceTarget, query: URLSearchParams): ObjectFilter {
  const labelSelector = query.get('labelSelector') ?? '';
  const fieldSelector = query.get('fieldSelector') ?? '';
  const labelsMatch: LabelMatcher | undefined = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  const fieldsMatch: FieldMatcher | undefined =
    fieldSelector === '' ? undefined : parseFieldSelector(fieldSelector, target.definition.plural);
  const { namespace, name } = target;
  return {
    isSelective: labelsMatch !== undefined || fieldsMatch !== undefined,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      (labelsMatch === undefined || labelsMatch(object.metadata.labels)) &&
      (fieldsMatch === undefined || fieldsMatch(object)),
  };
}
