// Compatibility with the client library that the roles use: its kubeconfig, generated API and Watch.
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import type { KubeObject } from './object-store.ts';
import { podNamed } from './test-client.ts';

let server: EmbeddedApiServer;
let config: KubeConfig;

beforeEach(async () => {
  server = await startApiServer();
  config = new KubeConfig();
  config.loadFromString(server.kubeconfig());
});

afterEach(() => server.stop());

it('creates, lists, patches and deletes through the generated API', async () => {
  const api = config.makeApiClient(CoreV1Api);
  const created = await api.createNamespacedPod({
    namespace: 'default',
    body: { metadata: { name: 'web' }, spec: { nodeName: 'node-a', containers: [{ name: 'main', image: 'busybox' }] } },
  });
  expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);

  const list = await api.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName=node-a' });
  expect(list.items.map((pod) => pod.metadata?.name)).toEqual(['web']);

  const patched = await api.patchNamespacedPodStatus(
    {
      name: 'web',
      namespace: 'default',
      body: { metadata: { annotations: { a: '1' } }, status: { conditions: [{ type: 'Mine', status: 'True' }] } },
    },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  expect(patched.metadata?.annotations).toEqual({ a: '1' });
  expect(patched.status?.conditions).toMatchObject([{ type: 'Mine', status: 'True' }]);

  await api.deleteNamespacedPod({ name: 'web', namespace: 'default', gracePeriodSeconds: 0 });
  await expect(api.readNamespacedPod({ name: 'web', namespace: 'default' })).rejects.toMatchObject({ code: 404 });
});

it('reads custom resources', async () => {
  server.objects.create('network-attachment-definitions', {
    apiVersion: '',
    kind: '',
    metadata: { name: 'net' },
    spec: { config: '{}' },
  });
  const net = await config.makeApiClient(CustomObjectsApi).getNamespacedCustomObject({
    group: 'k8s.cni.cncf.io',
    version: 'v1',
    namespace: 'default',
    plural: 'network-attachment-definitions',
    name: 'net',
  });
  expect(net).toMatchObject({ kind: 'NetworkAttachmentDefinition', spec: { config: '{}' } });
});

it('watches, and is told of the end', async () => {
  server.objects.create('pods', podNamed('a'));
  const seen: string[] = [];
  const threeSeen = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  await new Watch(config).watch(
    '/api/v1/pods',
    { fieldSelector: 'spec.nodeName=node-a', allowWatchBookmarks: true },
    (type: string, object: KubeObject) => {
      seen.push(`${type} ${object.metadata.name ?? ''}`);
      if (seen.length === 3) threeSeen.resolve();
    },
    ended.resolve,
  );
  server.objects.create('pods', podNamed('b'));
  server.faults.sendBookmarks();
  await threeSeen.promise;
  expect(seen).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK ']);
  server.faults.dropWatches();
  expect(await ended.promise).toBeNull();
});

it('is refused with a token that is not known', async () => {
  config.loadFromString(server.kubeconfig({ token: 'stolen' }));
  await expect(config.makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({ code: 401 });
});
