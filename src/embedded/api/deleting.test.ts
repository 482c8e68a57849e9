import { describe, expect, it } from 'vitest';
import type { KubeObject } from './object-store.ts';
import { apiPerTest } from './test-api.ts';
import { podNamed } from './test-client.ts';

const api = apiPerTest();

const pods = '/api/v1/namespaces/default/pods';
const nads = '/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions';
const web = { resource: 'pods', name: 'web' };

const addWeb = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject =>
  api.server.objects.create('pods', { ...podNamed('web'), metadata: { name: 'web', ...metadata } });

describe('delete', () => {
  it.each([
    ['in the body', `${pods}/web`, { gracePeriodSeconds: 5 }, 5],
    ['in the query', `${pods}/web?gracePeriodSeconds=6`, undefined, 6],
    ['nowhere', `${pods}/web`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' }, 30],
  ])('takes the grace period %s', async (_where, path, body, grace) => {
    addWeb();
    const reply = await api.client.delete(path, body);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: grace } });
    expect(api.server.objects.find(web)).toBeDefined();
  });

  it('of what goes at once answers a Status, for pods the pod', async () => {
    addWeb();
    expect((await api.client.delete(`${pods}/web?gracePeriodSeconds=0`)).body).toMatchObject({ kind: 'Pod' });
    const { metadata } = api.server.objects.create('network-attachment-definitions', {
      apiVersion: '',
      kind: '',
      metadata: { name: 'net' },
    });
    expect((await api.client.delete(`${nads}/net`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'net', group: 'k8s.cni.cncf.io', kind: 'network-attachment-definitions', uid: metadata.uid },
    });
    expect((await api.client.delete(`${nads}/net`)).status).toBe(404);
  });

  it('checks preconditions', async () => {
    const { uid } = addWeb().metadata;
    const { status, body } = await api.client.delete(`${pods}/web`, { preconditions: { uid: 'other' } });
    expect([status, body['reason']]).toEqual([409, 'Conflict']);
    expect(body.message).toContain('the UID in the precondition (other) does not match the UID in record');
    expect((await api.client.delete(`${pods}/web`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
    expect((await api.client.delete(`${pods}/web`, { preconditions: { uid } })).status).toBe(200);
  });

  it('waits for finalizers, which cannot be added any more', async () => {
    api.server.objects.create('configmaps', { apiVersion: '', kind: '', metadata: { name: 'c', finalizers: ['a/a'] } });
    const path = '/api/v1/namespaces/default/configmaps/c';
    expect((await api.client.delete(path)).body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { finalizers: ['a/a'] },
    });
    const added = await api.client.patch(path, { metadata: { finalizers: ['a/a', 'b/b'] } });
    expect(added.status).toBe(422);
    expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
    expect((await api.client.patch(path, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await api.client.get(path)).status).toBe(404);
  });

  it('takes a selection', async () => {
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const) {
      api.server.objects.create('configmaps', { apiVersion: '', kind: '', metadata: { name, labels: { app } } });
    }
    const { body } = await api.client.delete('/api/v1/namespaces/default/configmaps?labelSelector=app=x');
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(api.server.objects.list('configmaps').map(({ metadata }) => metadata.name)).toEqual(['b']);
  });
});
