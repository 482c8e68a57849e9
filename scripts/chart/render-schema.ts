// values.schema.json: Helm refuses values that it does not know, and says which.
import { agentFields } from '../../src/config/agent-settings.ts';
import { controllerFields } from '../../src/config/controller-settings.ts';
import { type Gate, gateDescriptions } from '../../src/config/feature-gates.ts';
import type { Fields } from '../../src/config/field.ts';

/** Given by the pod itself, or by the chart. */
const NOT_FOR_VALUES = ['nodeName', 'podNamespace', 'podName', 'podUid', 'kubeconfig', 'featureGates'];

const closed = (properties: object) => ({ type: 'object', additionalProperties: false, properties });
const text = (description?: string) => ({ type: 'string', ...(description && { description }) });
const free = { type: 'object' };

const settings = (fields: Fields) =>
  closed(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => !NOT_FOR_VALUES.includes(name))
        .map(([name, { description, allowed, json }]) => [
          name,
          { ...json, description: `${description}. Allowed: ${allowed}` },
        ]),
    ),
  );

const pods = {
  resources: free,
  nodeSelector: free,
  tolerations: { type: 'array' },
  affinity: free,
  priorityClassName: text(),
  imagePullSecrets: { type: 'array', items: closed({ name: text() }) },
};

export const renderSchema = (gates: readonly Gate[]): string => {
  const schema = {
    $schema: 'https://json-schema.org/draft-07/schema#',
    ...closed({
      image: closed({
        repository: text('image without tag'),
        tag: text('the version of the chart if empty'),
        digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$', description: 'counts instead of the tag' },
        pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
      }),
      featureGates: closed(
        Object.fromEntries(gates.map((gate) => [gate, { type: 'boolean', description: gateDescriptions[gate] }])),
      ),
      agent: closed({ settings: settings(agentFields), ...pods }),
      controller: closed({
        enabled: { type: 'boolean' },
        replicas: { type: 'integer', minimum: 1, maximum: 5 },
        settings: settings(controllerFields),
        ...pods,
      }),
      monitoring: closed({ podMonitors: { type: 'boolean' }, alerts: { type: 'boolean' } }),
      global: free,
    }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};
