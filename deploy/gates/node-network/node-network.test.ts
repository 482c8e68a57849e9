// The manifests of the webhook that keeps the node's network against the program that serves it, and against who must never
// wait for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { controllerFields } from '../../../src/config/controller-settings.ts';
import { LAUNCHER_LABEL } from '../../../src/controller/admission/claims-of-pod.ts';
import { NETWORKS_ANNOTATION } from '../../../src/model/network-selection.ts';
import { NODE_NETWORK_CONFIGURATION, NODE_NETWORKS_PATH } from '../../../src/wiring/wire-admission.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const condition = z.object({ name: z.string(), expression: z.string() });
const { metadata, webhooks } = z
  .object({
    metadata: z.object({ name: z.string() }),
    webhooks: z.tuple([z.looseObject({ matchConditions: z.tuple([condition, condition, condition]) })]),
  })
  .parse(loadYaml(read('webhook.yaml')));
const [webhook] = webhooks;

it('is the one that the controller serves, and may keep trusted', () => {
  expect(metadata.name).toBe(NODE_NETWORK_CONFIGURATION.name);
  expect(webhook['clientConfig']).toEqual({
    service: {
      name: controllerFields.webhookService.default,
      namespace: 'dynamic-networks',
      path: NODE_NETWORKS_PATH,
      port: 443,
    },
  });
  expect(loadAllYaml(read('webhook-rbac.yaml'))[0]).toMatchObject({
    rules: [
      {
        resources: [NODE_NETWORK_CONFIGURATION.resource.plural],
        resourceNames: [NODE_NETWORK_CONFIGURATION.name],
        verbs: ['get', 'patch'],
      },
    ],
  });
});

it('is asked about launcher pods whose networks somebody else changes, and about nothing else', () => {
  expect(webhook['rules']).toMatchObject([{ operations: ['UPDATE'], resources: ['pods'] }]);
  const [whose, whoseEdit, what] = webhook.matchConditions;
  expect(whose.expression).toContain(JSON.stringify(LAUNCHER_LABEL));
  expect(whoseEdit.expression).toContain('"system:serviceaccount:dynamic-networks:dynamic-networks-controller"');
  expect(what.expression).toContain(JSON.stringify(NETWORKS_ANNOTATION));
});

it('holds nobody up when no replica answers, and can be asked again', () => {
  expect(webhook).toMatchObject({
    ...{ failurePolicy: 'Ignore', sideEffects: 'None', reinvocationPolicy: 'IfNeeded', timeoutSeconds: 2 },
    namespaceSelector: {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'dynamic-networks'] },
      ],
    },
  });
});
