// Which requests a webhook is asked about.

import { internalError } from '../api-error.ts';
import { isRecord, type JsonRecord } from '../frozen-json.ts';
import type { KubeObject } from '../object-store.ts';
import type { ResourceDefinition } from '../resource-registry.ts';
import type { Webhook } from './webhook.ts';

export interface UserInfo {
  username: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface AdmissionQuestion {
  operation: 'CREATE' | 'UPDATE';
  definition: ResourceDefinition;
  subresource: string | undefined;
  namespace: string | undefined;
  object: KubeObject;
  oldObject: KubeObject | undefined;
  user: UserInfo;
}

/** Stands for the CEL expression of a match condition of the same name. */
export type MatchCondition = (question: AdmissionQuestion) => boolean;

export interface MatchContext {
  conditions: Readonly<Record<string, MatchCondition>>;
  namespaceLabels: (namespace: string) => Record<string, string>;
}

export function isAsked(webhook: Webhook, question: AdmissionQuestion, context: MatchContext): boolean {
  const namespaceLabels = question.namespace === undefined ? {} : context.namespaceLabels(question.namespace);
  if (!webhook.rules.some((rule) => isInRule(rule, question))) return false;
  if (!isSelected(webhook.namespaceSelector, namespaceLabels)) return false;
  if (!isSelected(webhook.objectSelector, question.object.metadata.labels ?? {})) return false;
  return webhook.matchConditions.every((name) => {
    const condition = context.conditions[name];
    if (condition === undefined) {
      throw internalError(`the embedded API server knows no match condition ${name} of webhook ${webhook.name}`);
    }
    return condition(question);
  });
}

function isInRule(rule: Webhook['rules'][number], { operation, definition, subresource }: AdmissionQuestion): boolean {
  const resource = subresource === undefined ? definition.plural : `${definition.plural}/${subresource}`;
  const isNamed = (names: string[], name: string) => names.includes(name) || names.includes('*');
  return (
    isNamed(rule.operations, operation) &&
    isNamed(rule.apiGroups, definition.group) &&
    isNamed(rule.apiVersions, definition.version) &&
    rule.resources.includes(resource)
  );
}

function isSelected(selector: JsonRecord, labels: Record<string, string>): boolean {
  const wanted = isRecord(selector['matchLabels']) ? Object.entries(selector['matchLabels']) : [];
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'].filter(isRecord) : [];
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values }) => {
      const label = labels[String(key)];
      const isAmong = label !== undefined && Array.isArray(values) && values.includes(label);
      switch (operator) {
        case 'In':
          return isAmong;
        case 'NotIn':
          return !isAmong;
        case 'Exists':
          return label !== undefined;
        case 'DoesNotExist':
          return label === undefined;
        default:
          throw internalError(`the embedded API server knows no selector operator ${String(operator)}`);
      }
    })
  );
}
