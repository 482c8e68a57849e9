// Against the embedded API server: what a JSON patch really does is its business.

import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { ApiClient } from './api-client.ts';
import { validatingWebhookConfigurations as resource } from './resource.ts';
import { SecretData } from './secret-data.ts';
import { makeTrustBundle } from './webhook-trust.ts';

let api: EmbeddedApiServer;
let client: ApiClient;
const never = new AbortController().signal;

beforeEach(async () => {
  api = await startApiServer();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(api.kubeconfig());
  client = new ApiClient(kubeConfig, { userAgent: 'test', requestTimeoutMs: 5000 });
});
afterEach(async () => {
  client.close();
  await api.stop();
});

describe('trust', () => {
  const place = { resource: 'validatingwebhookconfigurations', name: 'ours' };
  const webhook = (name: string, clientConfig: object) => ({ name, sideEffects: 'None', clientConfig });
  const configure = (...webhooks: object[]) =>
    api.objects.create(place.resource, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: place.name },
      webhooks,
    });
  const bundle = Buffer.from('PEM').toString('base64');
  const trust = () => makeTrustBundle(client, [{ resource, name: 'ours' }])('PEM', never);

  it('comes into every webhook, and leaves the rest as it is', async () => {
    configure(webhook('a', { url: 'x' }), webhook('b', { url: 'y', caBundle: 'd3Jvbmc=' }));
    await trust();
    expect(api.objects.find(place)?.['webhooks']).toEqual([
      webhook('a', { url: 'x', caBundle: bundle }),
      webhook('b', { url: 'y', caBundle: bundle }),
    ]);
  });

  it('that is there is not written again', async () => {
    configure(webhook('a', { url: 'x', caBundle: bundle }));
    await trust();
    expect(api.calls.matching({ verb: 'patch' })).toEqual([]);
  });

  it('is not missed in a configuration that is not installed', async () => {
    await expect(trust()).resolves.toBeUndefined();
  });
});

describe('a shared Secret', () => {
  const place = { resource: 'secrets', namespace: 'ns', name: 'shared' };
  const secret = () => new SecretData(client, { namespace: 'ns', name: 'shared' });
  const create = () => api.objects.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: place });

  it('that is missing is told from one that is empty', async () => {
    expect(await secret().find(never)).toBeUndefined();
    create();
    expect(await secret().find(never)).toMatchObject({ data: {} });
  });

  it('is written for the version that was read, and for no other', async () => {
    create();
    const first = await secret().find(never);
    const version = await secret().replace({ a: 'MQ==' }, first?.version ?? '', never);
    expect(await secret().find(never)).toEqual({ data: { a: 'MQ==' }, version });
    await expect(secret().replace({ b: 'Mg==' }, first?.version ?? '', never)).rejects.toMatchObject({
      kind: 'stateChanged',
    });
    expect(api.objects.find(place)?.['data']).toEqual({ a: 'MQ==' });
  });
});
