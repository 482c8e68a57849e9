// The manifests of the webhook against the program that serves it: names that must be equal, and rights that are needed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { controllerFields } from '../../../src/config/controller-settings.ts';
import { DEFAULT_NETWORK_ANNOTATION } from '../../../src/model/default-network.ts';
import { NETWORKS_ANNOTATION } from '../../../src/model/network-selection.ts';
import { MACHINE_NETWORKS_ANNOTATION } from '../../../src/vm/node-networks.ts';
import { ADMISSION_CONFIGURATION, MACHINES_PATH, NETWORKS_PATH } from '../../../src/wiring/wire-admission.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

const webhookSchema = z.looseObject({
  name: z.string(),
  clientConfig: z.object({ service: z.unknown(), caBundle: z.optional(z.string()) }),
  rules: z.array(z.looseObject({ operations: z.array(z.string()), resources: z.array(z.string()) })),
  matchConditions: z.tuple([z.object({ name: z.string(), expression: z.string() })]),
  timeoutSeconds: z.number(),
});
const configuration = z.object({
  metadata: z.object({ name: z.string() }),
  webhooks: z.tuple([webhookSchema, webhookSchema]),
});
const { metadata, webhooks } = configuration.parse(loadYaml(read('webhook.yaml')));
const [webhook, ofMachines] = webhooks;
const asked = ({ rules }: z.infer<typeof webhookSchema>) =>
  rules.flatMap(({ operations, resources }) => resources.map((resource) => `${operations.join('+')} ${resource}`));

describe('the webhook', () => {
  it.each([
    [NETWORKS_PATH, webhook],
    [MACHINES_PATH, ofMachines],
  ])('is the one that the controller serves and keeps trusted: %s', (path, { clientConfig }) => {
    expect(metadata.name).toBe(ADMISSION_CONFIGURATION.name);
    expect(clientConfig).toEqual({
      service: { name: controllerFields.webhookService.default, namespace: 'dynamic-networks', path, port: 443 },
    });
  });

  it('is asked about every way to write an annotation of a pod', () => {
    expect(asked(webhook)).toEqual([
      'CREATE+UPDATE pods',
      'CREATE+UPDATE pods/status',
      'CREATE bindings',
      'CREATE pods/binding',
    ]);
    const [condition] = webhook.matchConditions;
    for (const annotation of [NETWORKS_ANNOTATION, DEFAULT_NETWORK_ANNOTATION])
      expect(condition.expression).toContain(JSON.stringify(annotation));
  });

  it('is asked about every way to write what a virtual machine asks for', () => {
    // The status of a VirtualMachine takes no annotations; a running one has no status of its own.
    expect(asked(ofMachines)).toEqual(['CREATE+UPDATE virtualmachines', 'CREATE+UPDATE virtualmachineinstances']);
    const [condition] = ofMachines.matchConditions;
    expect(condition.expression).toContain(JSON.stringify(MACHINE_NETWORKS_ANNOTATION));
    expect(condition.expression).toContain('nodeNetwork');
  });

  it.each([webhook, ofMachines])(
    'fails closed, changes nothing, and spares what the cluster needs to start: $name',
    (one) => {
      expect(one).toMatchObject({
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'dynamic-networks'] },
          ],
        },
      });
      expect(one.timeoutSeconds).toBeLessThanOrEqual(10);
    },
  );
});

describe('what all webhooks share', () => {
  const [service, secret] = loadAllYaml(read('../../controller/webhook.yaml'));

  it('has the names that the controller looks for', () => {
    expect(service).toMatchObject({
      metadata: { name: controllerFields.webhookService.default },
      spec: { ports: [{ port: 443, targetPort: 'webhook' }] },
    });
    expect(secret).toMatchObject({ metadata: { name: controllerFields.webhookSecret.default }, type: 'Opaque' });
    expect(secret).not.toHaveProperty('data');
    expect(read('../../controller/deployment.yaml')).toContain('containerPort: 9443');
    expect(controllerFields.webhookListen.default).toBe(':9443');
  });
});

describe('rights', () => {
  const rule = z.object({
    apiGroups: z.array(z.string()),
    resources: z.array(z.string()),
    resourceNames: z.optional(z.array(z.string())),
    verbs: z.array(z.string()),
  });
  const rulesOf = (text: string) => z.object({ rules: z.array(rule) }).parse(loadAllYaml(text)[0]).rules;

  it('are to ask about users, and to change one configuration', () => {
    expect(rulesOf(read('rbac.yaml'))).toEqual([
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: [ADMISSION_CONFIGURATION.name],
        verbs: ['get', 'patch'],
      },
    ]);
  });

  it('reach one Secret, and cannot make another', () => {
    const secrets = rulesOf(read('../../controller/rbac.yaml')).filter(({ resources }) =>
      resources.includes('secrets'),
    );
    expect(secrets).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: [controllerFields.webhookSecret.default],
        verbs: ['get', 'patch'],
      },
    ]);
  });
});
