import { describe, expect, it } from 'vitest';
import type { KubeObject } from './object-store.ts';
import { apiPerTest } from './test-api.ts';
import { podNamed, strategicPatch } from './test-client.ts';

const api = apiPerTest();

const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const web = { resource: 'pods', name: 'web' };

const addWeb = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject =>
  api.server.objects.create('pods', { ...podNamed('web'), metadata: { name: 'web', ...metadata } });

describe('update', () => {
  it('replaces at the right version and conflicts at another', async () => {
    const stored = addWeb();
    const changed = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } };
    expect((await api.client.put(`${pods}/web`, changed)).body.metadata.labels).toEqual({ a: 'b' });
    const { status, body } = await api.client.put(`${pods}/web`, {
      ...stored,
      metadata: { ...stored.metadata, labels: { c: 'd' } },
    });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'web', kind: 'pods' },
    });
    expect(api.server.objects.find(web)?.metadata.labels).toEqual({ a: 'b' });
  });

  it('is unconditional for a pod without a version, refused for a lease', async () => {
    addWeb();
    expect((await api.client.put(`${pods}/web`, { ...podNamed('web') })).status).toBe(200);
    api.server.objects.create('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
    });
    const { status, body } = await api.client.put(`${leases}/l`, {
      metadata: { name: 'l' },
      spec: { holderIdentity: 'me' },
    });
    expect(status).toBe(422);
    expect(body.message).toBe(
      'Lease.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  it.each([
    [
      'of another uid',
      { metadata: { name: 'web', uid: 'other' } },
      409,
      /UID in precondition: other, UID in object meta: /,
    ],
    [
      'of another name',
      { metadata: { name: 'other' } },
      400,
      /the name of the object \(other\) does not match the name on the URL \(web\)/,
    ],
    ['of another namespace', { metadata: { name: 'web', namespace: 'x' } }, 400, /namespace/],
  ])('refuses an object %s', async (_what, body, code, message) => {
    addWeb();
    const reply = await api.client.put(`${pods}/web`, body);
    expect(reply.status).toBe(code);
    expect(reply.body.message).toMatch(message);
  });

  it('answers 404 for what is not there', async () => {
    expect((await api.client.put(`${pods}/web`, podNamed('web'))).status).toBe(404);
  });
});

describe('the spec of a pod', () => {
  it.each([
    ['image', { containers: [{ name: 'main', image: 'other' }] }, 200],
    ['active deadline', { activeDeadlineSeconds: 5 }, 200],
    ['added toleration', { tolerations: [{ key: 'a' }, { key: 'b' }] }, 200],
    ['removed toleration', { tolerations: [] }, 422],
    ['grace period', { terminationGracePeriodSeconds: 1 }, 422],
    ['container name', { containers: [{ name: 'renamed', image: 'busybox' }] }, 422],
    ['host network', { hostNetwork: true }, 422],
  ])('%s', async (_field, spec, code) => {
    const pod = podNamed('web');
    api.server.objects.create('pods', { ...pod, spec: { ...pod.spec, tolerations: [{ key: 'a' }] } });
    expect((await api.client.patch(`${pods}/web`, { spec })).status).toBe(code);
  });
});

describe('the status subresource', () => {
  const everything = {
    metadata: {
      annotations: { a: '1' },
      labels: { l: '1' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
    },
    spec: { nodeName: 'other' },
    status: { phase: 'Failed' },
  };

  it('of a pod keeps status, labels and annotations, but neither spec nor owners', async () => {
    addWeb();
    const { status, body } = await api.client.patch(`${pods}/web/status`, everything);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      metadata: { annotations: { a: '1' }, labels: { l: '1' } },
      spec: { nodeName: 'node-a' },
      status: { phase: 'Failed' },
    });
    expect(body.metadata).not.toHaveProperty('ownerReferences');
  });

  it('of a pod never changes a deletionTimestamp', async () => {
    addWeb();
    api.server.objects.remove(web);
    const before = api.server.objects.find(web)?.metadata.deletionTimestamp;
    const { body } = await api.client.patch(`${pods}/web/status`, {
      metadata: { deletionTimestamp: null, labels: { a: 'b' } },
    });
    expect(body.metadata).toMatchObject({ deletionTimestamp: before, labels: { a: 'b' } });
    expect(before).toBeDefined();
  });

  it('is out of reach of the main resource', async () => {
    addWeb();
    const { body } = await api.client.patch(`${pods}/web`, {
      metadata: { labels: { a: 'b' } },
      status: { phase: 'Failed' },
    });
    expect(body).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { phase: 'Running' } });
    const put = await api.client.put(`${pods}/web`, { ...podNamed('web'), status: { phase: 'Failed' } });
    expect(put.body['status']).toEqual({ phase: 'Running' });
  });

  it('of a custom resource keeps the status alone, and is not counted', async () => {
    api.server.register({
      group: 'ex.io',
      version: 'v1',
      plural: 'gadgets',
      kind: 'Gadget',
      namespaced: false,
      statusSubresource: true,
    });
    api.server.objects.create('gadgets', { apiVersion: '', kind: '', metadata: { name: 'g' }, spec: { size: 1 } });
    const gadget = '/apis/ex.io/v1/gadgets/g';
    const { body } = await api.client.patch(`${gadget}/status`, {
      metadata: { labels: { a: 'b' } },
      spec: { size: 2 },
      status: { ready: true },
    });
    expect(body).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 }, status: { ready: true } });
    expect(body.metadata).not.toHaveProperty('labels');
    const main = await api.client.patch(gadget, { spec: { size: 2 }, status: { ready: false } });
    expect(main.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 2 }, status: { ready: true } });
  });

  it('merges a condition and an annotation in one strategic patch', async () => {
    addWeb();
    api.server.objects.modify(web, (draft) =>
      Object.assign(draft, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
    );
    const { body } = await api.client.patch(
      `${pods}/web/status`,
      { metadata: { annotations: { a: '1' } }, status: { conditions: [{ type: 'Mine', status: 'False' }] } },
      strategicPatch,
    );
    expect(body['status']).toEqual({
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Mine', status: 'False' },
      ],
    });
  });
});
