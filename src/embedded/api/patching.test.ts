import { describe, expect, it } from 'vitest';
import { startApiServer } from './api-server.ts';
import type { KubeObject } from './object-store.ts';
import { apiPerTest } from './test-api.ts';
import { jsonPatch, mergePatch, podNamed, strategicPatch, TestClient } from './test-client.ts';

const api = apiPerTest();

const pods = '/api/v1/namespaces/default/pods';
const nads = '/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions';
const web = { resource: 'pods', name: 'web' };

const addWeb = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject =>
  api.server.objects.create('pods', { ...podNamed('web'), metadata: { name: 'web', ...metadata } });

describe('patch', () => {
  it.each([
    ['merge', mergePatch, { metadata: { annotations: { b: '2', a: null } } }],
    ['strategic merge', strategicPatch, { metadata: { annotations: { b: '2', a: null } } }],
    [
      'JSON',
      jsonPatch,
      [
        { op: 'remove', path: '/metadata/annotations/a' },
        { op: 'add', path: '/metadata/annotations/b', value: '2' },
      ],
    ],
  ])('%s', async (_name, contentType, patch) => {
    addWeb({ annotations: { a: '1', c: '3' } });
    const { status, body } = await api.client.patch(`${pods}/web`, patch, contentType);
    expect(status).toBe(200);
    expect(body.metadata.annotations).toEqual({ b: '2', c: '3' });
    expect(body).toEqual(api.server.objects.find(web));
  });

  it('changes no version and makes no event when it changes nothing', async () => {
    const { metadata } = addWeb({ annotations: { a: '1' } });
    const changes: string[] = [];
    api.server.objects.subscribe(({ type }) => changes.push(type));
    const { body } = await api.client.patch(`${pods}/web`, { metadata: { annotations: { a: '1' } } });
    expect(body.metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(changes).toEqual([]);
  });

  it.each([
    [
      'an unknown content type',
      'application/json',
      {},
      415,
      'UnsupportedMediaType',
      /accepted media types include: application\/json-patch\+json/,
    ],
    ['server-side apply', 'application/apply-patch+yaml', {}, 415, 'UnsupportedMediaType', /unknown format/],
    [
      'a failed test',
      jsonPatch,
      [{ op: 'test', path: '/metadata/uid', value: 'x' }],
      422,
      'Invalid',
      /^the server rejected our request due to an error in our request$/,
    ],
    [
      'a missing parent',
      jsonPatch,
      [{ op: 'add', path: '/metadata/annotations/a', value: 'x' }],
      422,
      'Invalid',
      /rejected our request/,
    ],
    [
      'another uid',
      mergePatch,
      { metadata: { uid: 'x' } },
      409,
      'Conflict',
      /^Operation cannot be fulfilled on pods "web": .*UID in precondition: x, UID in object meta/,
    ],
    [
      'an old version',
      strategicPatch,
      { metadata: { resourceVersion: '1' } },
      409,
      'Conflict',
      /the object has been modified/,
    ],
    ['another name', mergePatch, { metadata: { name: 'x' } }, 400, 'BadRequest', /does not match the name on the URL/],
    [
      'a number as annotation',
      mergePatch,
      { metadata: { annotations: { a: 1 } } },
      422,
      'Invalid',
      /cannot unmarshal number/,
    ],
    ['metadata gone', jsonPatch, [{ op: 'remove', path: '/metadata' }], 422, 'Invalid', /cannot unmarshal/],
    ['a list as merge patch', mergePatch, [], 400, 'BadRequest', /cannot unmarshal/],
    ['broken JSON', mergePatch, '{', 400, 'BadRequest', /must be of type JSON/],
    [
      'a change of the spec',
      mergePatch,
      { spec: { nodeName: 'other' } },
      422,
      'Invalid',
      /^Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than/,
    ],
  ])('refuses %s', async (_what, contentType, patch, code, reason, message) => {
    const stored = addWeb();
    const reply = await api.client.patch(`${pods}/web`, patch, contentType);
    expect(reply.status).toBe(code);
    expect(reply.body).toMatchObject({ reason, code, message: expect.stringMatching(message) });
    expect(api.server.objects.find(web)).toBe(stored);
  });

  it('can answer another uid as the validation of the real server does', async () => {
    const other = await startApiServer({ patchUidMismatch: 422 });
    const otherClient = new TestClient(other);
    other.objects.create('pods', podNamed('web'));
    const { status, body } = await otherClient.patch(`${pods}/web`, { metadata: { uid: 'x' } });
    expect([status, body.message]).toEqual([
      422,
      'Pod "web" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    ]);
    await otherClient.close();
    await other.stop();
  });

  it('takes uid and version of the stored object as preconditions that hold', async () => {
    const { uid, resourceVersion } = addWeb().metadata;
    const { status } = await api.client.patch(`${pods}/web`, {
      metadata: { uid, resourceVersion, labels: { a: 'b' } },
    });
    expect(status).toBe(200);
  });

  it('knows no strategic merge for custom resources', async () => {
    api.server.objects.create('network-attachment-definitions', {
      apiVersion: '',
      kind: '',
      metadata: { name: 'net' },
    });
    expect((await api.client.patch(`${nads}/net`, {}, strategicPatch)).status).toBe(415);
    const { status, body } = await api.client.patch(`${nads}/net`, { spec: { config: '{}' } });
    expect(status).toBe(200);
    expect(body.metadata.generation).toBe(2);
  });

  it('does not let an annotation come after the map of annotations was emptied', async () => {
    addWeb({ annotations: { a: '1' } });
    await api.client.patch(`${pods}/web`, [{ op: 'remove', path: '/metadata/annotations/a' }], jsonPatch);
    const add = [{ op: 'add', path: '/metadata/annotations/b', value: '1' }];
    expect((await api.client.patch(`${pods}/web`, add, jsonPatch)).status).toBe(422);
  });
});
