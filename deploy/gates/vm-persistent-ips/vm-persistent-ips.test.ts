// The manifests of the claims' webhook against the program that serves it, and against who must never wait for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { controllerFields } from '../../../src/config/controller-settings.ts';
import { LAUNCHER_LABEL } from '../../../src/controller/admission/claims-of-pod.ts';
import { OPT_IN_LABEL } from '../../../src/ipam/set-claims.ts';
import { NETWORKS_ANNOTATION } from '../../../src/model/network-selection.ts';
import { CLAIMS_CONFIGURATION, CLAIMS_PATH } from '../../../src/wiring/wire-admission.ts';

const condition = z.object({ name: z.string(), expression: z.string() });
const configuration = z.object({
  metadata: z.object({ name: z.string() }),
  webhooks: z.tuple([
    z.looseObject({
      clientConfig: z.object({ service: z.unknown(), caBundle: z.optional(z.string()) }),
      rules: z.array(z.looseObject({ operations: z.array(z.string()), resources: z.array(z.string()) })),
      matchConditions: z.tuple([condition, condition]),
      timeoutSeconds: z.number(),
    }),
  ]),
});
const { metadata, webhooks } = configuration.parse(
  loadYaml(readFileSync(join(import.meta.dirname, 'webhook.yaml'), 'utf8')),
);
const [webhook] = webhooks;

it('is the one that the controller serves and keeps trusted', () => {
  expect(metadata.name).toBe(CLAIMS_CONFIGURATION.name);
  expect(webhook.clientConfig).toEqual({
    service: {
      name: controllerFields.webhookService.default,
      namespace: 'dynamic-networks',
      path: CLAIMS_PATH,
      port: 443,
    },
  });
});

it('is asked about launcher pods and pods that opted in, with networks, and about nothing else', () => {
  expect(webhook.rules).toMatchObject([{ operations: ['CREATE', 'UPDATE'], resources: ['pods'] }]);
  const [whose, what] = webhook.matchConditions;
  for (const label of [LAUNCHER_LABEL, OPT_IN_LABEL]) expect(whose.expression).toContain(JSON.stringify(label));
  expect(what.expression).toContain(JSON.stringify(NETWORKS_ANNOTATION));
  expect(what.expression).toContain('oldObject'); // an edit that leaves the networks as they are is not asked about
});

it('fails closed, can be asked again, and spares what the cluster needs to start', () => {
  expect(webhook).toMatchObject({
    failurePolicy: 'Fail',
    sideEffects: 'None',
    reinvocationPolicy: 'IfNeeded',
    admissionReviewVersions: ['v1'],
    namespaceSelector: {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'dynamic-networks'] },
      ],
    },
  });
  expect(webhook.timeoutSeconds).toBeLessThanOrEqual(10);
});
