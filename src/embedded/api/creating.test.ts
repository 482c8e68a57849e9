import { describe, expect, it } from 'vitest';
import type { KubeObject } from './object-store.ts';
import { apiPerTest } from './test-api.ts';
import { podNamed } from './test-client.ts';

const api = apiPerTest();

const pods = '/api/v1/namespaces/default/pods';

const addWeb = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject =>
  api.server.objects.create('pods', { ...podNamed('web'), metadata: { name: 'web', ...metadata } });

describe('create', () => {
  it('takes the namespace from the URL and resets what the server owns', async () => {
    const { status, body } = await api.client.post('/api/v1/namespaces/ns/pods', {
      metadata: { name: 'new', uid: 'mine', deletionTimestamp: '2020-01-01T00:00:00Z' },
      spec: {},
      status: { phase: 'Running' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { namespace: 'ns' },
      status: { phase: 'Pending' },
    });
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('takes cluster-scoped objects and generated names', async () => {
    expect((await api.client.post('/api/v1/nodes', { metadata: { name: 'node-a' } })).status).toBe(201);
    const { body } = await api.client.post('/api/v1/namespaces/default/events', { metadata: { generateName: 'web.' } });
    expect(body.metadata.name).toMatch(/^web\..{5}$/);
  });

  const tooLong = 'x'.repeat(262_145);
  it.each([
    ['an existing name', pods, { metadata: { name: 'web' } }, 409, 'AlreadyExists', /^pods "web" already exists$/],
    [
      'no name',
      pods,
      { metadata: {} },
      422,
      'Invalid',
      /^Pod "" is invalid: metadata.name: Required value: name or generateName is required$/,
    ],
    ['no metadata', pods, {}, 422, 'Invalid', /Required value/],
    [
      'a bad name',
      pods,
      { metadata: { name: 'Web_1' } },
      422,
      'Invalid',
      /metadata.name: Invalid value: "Web_1": a lowercase RFC 1123 subdomain/,
    ],
    [
      'another namespace',
      pods,
      { metadata: { name: 'x', namespace: 'y' } },
      400,
      'BadRequest',
      /does not match the namespace sent/,
    ],
    ['another kind', pods, { kind: 'Node', metadata: { name: 'x' } }, 400, 'BadRequest', /kind/],
    [
      'another version',
      pods,
      { apiVersion: 'v2', metadata: { name: 'x' } },
      400,
      'BadRequest',
      /API version in the data \(v2\)/,
    ],
    [
      'a resourceVersion',
      pods,
      { metadata: { name: 'x', resourceVersion: '1' } },
      400,
      'BadRequest',
      /should not be set/,
    ],
    [
      'a number as annotation',
      pods,
      { metadata: { name: 'x', annotations: { a: 1 } } },
      400,
      'BadRequest',
      /cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string/,
    ],
    [
      'a bad annotation key',
      pods,
      { metadata: { name: 'x', annotations: { 'a b': '' } } },
      422,
      'Invalid',
      /metadata.annotations: Invalid value: "a b"/,
    ],
    [
      'a bad label',
      pods,
      { metadata: { name: 'x', labels: { a: 'b c' } } },
      422,
      'Invalid',
      /metadata.labels: Invalid value: "b c"/,
    ],
    [
      'annotations beyond 256 KiB',
      pods,
      { metadata: { name: 'x', annotations: { a: tooLong } } },
      422,
      'Invalid',
      /metadata.annotations: Too long/,
    ],
    [
      'no namespace',
      '/api/v1/pods',
      { metadata: { name: 'x' } },
      405,
      'MethodNotAllowed',
      /does not allow this method/,
    ],
    ['a body that is no JSON', pods, '{"metadata":', 400, 'BadRequest', /must be of type JSON/],
    [
      'a body beyond 3 MiB',
      pods,
      JSON.stringify({ a: 'x'.repeat(3 * 1024 * 1024) }),
      413,
      'RequestEntityTooLarge',
      /limit is 3145728/,
    ],
  ])('refuses %s', async (_what, path, body, code, reason, message) => {
    addWeb();
    const reply = await api.client.post(path, body);
    expect(reply.status).toBe(code);
    expect(reply.body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason,
      code,
      message: expect.stringMatching(message),
    });
    expect(api.server.objects.list('pods')).toHaveLength(1);
  });
});

it('refuses dryRun rather than writing', async () => {
  const { status } = await api.client.post(`${pods}?dryRun=All`, { metadata: { name: 'x' } });
  expect(status).toBe(400);
  expect(api.server.objects.list('pods')).toEqual([]);
});
