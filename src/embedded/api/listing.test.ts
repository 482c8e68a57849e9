import { beforeEach, describe, expect, it } from 'vitest';
import { apiPerTest } from './test-api.ts';
import { podNamed, type Reply } from './test-client.ts';

const api = apiPerTest();

const pods = '/api/v1/namespaces/default/pods';
const namesIn = ({ body }: Reply): string[] => body.items.map(({ metadata }) => metadata.name);

describe('list', () => {
  beforeEach(() => {
    for (const [name, tier, nodeName] of [
      ['c', 'back', 'node-a'],
      ['a', 'front', 'node-a'],
      ['b', 'front', 'node-b'],
    ] as const) {
      api.server.objects.create('pods', podNamed(name, { labels: { tier }, nodeName }));
    }
    const elsewhere = podNamed('d', { labels: { tier: 'front' } });
    elsewhere.metadata.namespace = 'other';
    api.server.objects.create('pods', elsewhere);
  });

  it.each([
    ['/api/v1/pods', ['a', 'b', 'c', 'd']],
    [pods, ['a', 'b', 'c']],
    ['/api/v1/namespaces/empty/pods', []],
    [`${pods}?labelSelector=${encodeURIComponent('tier in (front)')}`, ['a', 'b']],
    [`${pods}?fieldSelector=spec.nodeName%3Dnode-a`, ['a', 'c']],
    [`/api/v1/pods?fieldSelector=spec.nodeName=node-a&labelSelector=tier=front`, ['a', 'd']],
    [`${pods}?fieldSelector=spec.nodeName=node-a,metadata.name!=a`, ['c']],
    [`${pods}?resourceVersion=0`, ['a', 'b', 'c']],
  ])('%s', async (path, names) => {
    expect(namesIn(await api.client.get(path))).toEqual(names);
  });

  it('has the kind and version of a list, and items without a kind', async () => {
    const { body } = await api.client.get(pods);
    expect(body).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(5);
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(body.items[0]).toHaveProperty('metadata.uid');
  });

  it('keeps the kind on the items of a custom resource', async () => {
    api.server.objects.create('network-attachment-definitions', {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { name: 'net' },
    });
    const { body } = await api.client.get('/apis/k8s.cni.cncf.io/v1/network-attachment-definitions');
    expect(body).toMatchObject({
      kind: 'NetworkAttachmentDefinitionList',
      items: [{ kind: 'NetworkAttachmentDefinition' }],
    });
  });

  it.each([
    [`${pods}?fieldSelector=spec.hostname=x`, 400, 'field label not supported: spec.hostname'],
    [`${pods}?labelSelector=${encodeURIComponent('a in b')}`, 400, 'unable to parse requirement: "a in b"'],
    [`${pods}?continue=nonsense`, 400, 'continue key is not valid: illegal base64 data or unknown format'],
    [`${pods}?resourceVersion=999999`, 504, 'Timeout: Too large resource version: 999999, current: 5'],
    [`${pods}?limit=many`, 400, 'limit: Invalid value: "many": must be a number'],
  ])('refuses %s', async (path, code, message) => {
    const { status, body } = await api.client.get(path);
    expect(status).toBe(code);
    expect(body.message).toBe(message);
  });

  it('pages through one consistent state while the world changes', async () => {
    const first = await api.client.get('/api/v1/pods?limit=2');
    expect(namesIn(first)).toEqual(['a', 'b']);
    expect(first.body.metadata.remainingItemCount).toBe(2);
    api.server.objects.remove({ resource: 'pods', name: 'c' }, { gracePeriodSeconds: 0 });
    api.server.objects.create('pods', podNamed('bb'));
    const second = await api.client.get(`/api/v1/pods?limit=2&continue=${first.body.metadata.continue}`);
    expect(namesIn(second)).toEqual(['c', 'd']);
    expect(second.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  });

  it('answers 410 to a continue token from before the known history, with a token for the rest', async () => {
    const first = await api.client.get('/api/v1/pods?limit=2');
    api.server.faults.expireHistory();
    const late = await api.client.get(`/api/v1/pods?limit=2&continue=${first.body.metadata.continue}`);
    expect(late.status).toBe(410);
    expect(late.body).toMatchObject({ reason: 'Expired', code: 410 });
    const rest = await api.client.get(`/api/v1/pods?continue=${late.body.metadata.continue}`);
    expect(namesIn(rest)).toEqual(['c', 'd']);
  });

  it('shows an exact earlier version while it is known', async () => {
    const { body } = await api.client.get(pods);
    api.server.objects.create('pods', podNamed('e'));
    const exactly = `${pods}?resourceVersionMatch=Exact&resourceVersion=${body.metadata.resourceVersion}`;
    expect(namesIn(await api.client.get(exactly))).toEqual(['a', 'b', 'c']);
    api.server.faults.expireHistory();
    expect((await api.client.get(exactly)).status).toBe(410);
  });
});
