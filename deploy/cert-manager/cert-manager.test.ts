// The component for cert-manager against the program and the manifests that it changes: names that must be equal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { controllerFields } from '../../src/config/controller-settings.ts';
import { flagName } from '../../src/config/load-settings.ts';
import {
  ADMISSION_CONFIGURATION,
  CLAIMS_CONFIGURATION,
  NODE_NETWORK_CONFIGURATION,
} from '../../src/wiring/wire-admission.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const component = z
  .object({
    patches: z.array(z.object({ target: z.object({ kind: z.string(), name: z.string() }), patch: z.string() })),
  })
  .parse(loadYaml(read('kustomization.yaml')));
const [issuer, certificate] = z
  .tuple([
    z.looseObject({ kind: z.literal('Issuer'), metadata: z.object({ name: z.string(), namespace: z.string() }) }),
    z.object({
      kind: z.literal('Certificate'),
      metadata: z.object({ name: z.string(), namespace: z.string() }),
      spec: z.looseObject({
        secretName: z.string(),
        dnsNames: z.array(z.string()),
        issuerRef: z.object({ kind: z.string(), name: z.string() }),
      }),
    }),
  ])
  .parse(loadAllYaml(read('certificate.yaml')));

const patchOf = (name: string): unknown =>
  loadYaml(component.patches.find(({ target }) => target.name === name)?.patch ?? '');
const { namespace } = certificate.metadata;

it('the certificate is for the name under which the API server asks', () => {
  expect(certificate.spec.dnsNames).toEqual([`${controllerFields.webhookService.default}.${namespace}.svc`]);
  expect(certificate.spec.issuerRef).toEqual({ kind: 'Issuer', name: issuer.metadata.name });
});

it('the controller reads it where it is mounted, and makes none', () => {
  const mountPath = '/etc/dynamic-networks-webhook';
  expect(patchOf('dynamic-networks-controller')).toMatchObject([
    { value: `${flagName('webhookCertificateDir')}=${mountPath}` },
    { value: { name: 'webhook-certificate', mountPath, readOnly: true } },
    { value: { name: 'webhook-certificate', secret: { secretName: certificate.spec.secretName } } },
  ]);
  // Not the Secret of the controller's own certificates: two would write it.
  expect(certificate.spec.secretName).not.toBe(controllerFields.webhookSecret.default);
});

it.each([ADMISSION_CONFIGURATION.name, CLAIMS_CONFIGURATION.name, NODE_NETWORK_CONFIGURATION.name])(
  'its authority is injected into %s',
  (name) => {
    const value = { 'cert-manager.io/inject-ca-from': `${namespace}/${certificate.metadata.name}` };
    expect(patchOf(name)).toEqual([{ op: 'add', path: '/metadata/annotations', value }]);
  },
);
