// Admission webhooks as they stand in Validating- and MutatingWebhookConfigurations: the fields that are acted on. What is not
// supported is refused rather than ignored: a test must not pass because a rule of it was overlooked.

import { isRecord, type JsonRecord } from '../frozen-json.ts';
import type { KubeObject } from '../object-store.ts';

export interface WebhookRule {
  operations: string[];
  apiGroups: string[];
  apiVersions: string[];
  /** `pods`, `pods/status`; `*` is not supported. */
  resources: string[];
}

export interface WebhookService {
  namespace: string;
  name: string;
  port: number;
  path: string;
}

export interface Webhook {
  kind: 'mutating' | 'validating';
  name: string;
  rules: WebhookRule[];
  isFailureIgnored: boolean;
  timeoutSeconds: number;
  /** By name: the expressions themselves are CEL, which the real API server evaluates. */
  matchConditions: string[];
  namespaceSelector: JsonRecord;
  objectSelector: JsonRecord;
  target: WebhookService | { url: string };
  caBundle: string;
}

export const configurationResources = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
} as const;

export function webhooksOf(kind: Webhook['kind'], configuration: KubeObject): Webhook[] {
  return recordsIn(configuration['webhooks']).map((webhook) => readWebhook(kind, webhook));
}

function readWebhook(kind: Webhook['kind'], webhook: JsonRecord): Webhook {
  const name = String(webhook['name']);
  const clientConfig = recordIn(webhook['clientConfig']);
  const service = clientConfig['service'];
  return {
    kind,
    name,
    rules: recordsIn(webhook['rules']).map((rule) => ({
      operations: textsIn(rule['operations']),
      apiGroups: textsIn(rule['apiGroups']),
      apiVersions: textsIn(rule['apiVersions']),
      resources: textsIn(rule['resources']),
    })),
    isFailureIgnored: webhook['failurePolicy'] === 'Ignore',
    timeoutSeconds: Number(webhook['timeoutSeconds'] ?? 10),
    matchConditions: recordsIn(webhook['matchConditions']).map((condition) => String(condition['name'])),
    namespaceSelector: recordIn(webhook['namespaceSelector']),
    objectSelector: recordIn(webhook['objectSelector']),
    target: isRecord(service)
      ? {
          namespace: String(service['namespace']),
          name: String(service['name']),
          port: Number(service['port'] ?? 443),
          path: String(service['path'] ?? '/'),
        }
      : { url: String(clientConfig['url']) },
    caBundle: Buffer.from(String(clientConfig['caBundle'] ?? ''), 'base64').toString('utf8'),
  };
}

const recordIn = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
const recordsIn = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
