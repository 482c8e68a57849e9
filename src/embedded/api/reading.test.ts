import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import { podNamed, TestClient } from './test-client.ts';

let server: EmbeddedApiServer;
let client: TestClient;

beforeEach(async () => {
  server = await startApiServer({ tokens: ['embedded-admin', 'second'] });
  client = new TestClient(server);
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

const pods = '/api/v1/namespaces/default/pods';

describe('get', () => {
  it('answers the object, with its type', async () => {
    server.objects.create('pods', podNamed('web'));
    const { status, body } = await client.get(`${pods}/web`);
    expect(status).toBe(200);
    expect(body).toEqual(server.objects.find({ resource: 'pods', name: 'web' }));
    expect(body).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it.each([
    [`${pods}/nope`, 'pods "nope" not found', { name: 'nope', kind: 'pods' }],
    [
      '/apis/coordination.k8s.io/v1/namespaces/default/leases/nope',
      'leases.coordination.k8s.io "nope" not found',
      { name: 'nope', group: 'coordination.k8s.io', kind: 'leases' },
    ],
    ['/api/v1/gadgets', 'the server could not find the requested resource', {}],
    ['/apis/kubevirt.io/v1/virtualmachines', 'the server could not find the requested resource', {}],
    ['/api/v1/namespaces/default/configmaps/a/status', 'the server could not find the requested resource', {}],
    ['/api/v1/pods/web', 'the server could not find the requested resource', {}],
    ['/nowhere', 'the server could not find the requested resource', {}],
  ])('answers 404 to %s', async (path, message, details) => {
    const { status, body } = await client.get(path);
    expect(status).toBe(404);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'NotFound',
      details,
      code: 404,
    });
  });
});

describe('who may ask', () => {
  it.each([
    ['the first token', 'embedded-admin', 200],
    ['the second token', 'second', 200],
    ['an unknown token', 'stolen', 401],
    ['nobody', null, 401],
  ])('%s', async (_who, token, code) => {
    const { status, body } = await client.get(pods, { token });
    expect(status).toBe(code);
    if (code === 401)
      expect(body).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized', code: 401 });
  });

  it('refuses a token that expired, and takes it again', async () => {
    server.faults.rejectToken('second');
    expect((await client.get(pods, { token: 'second' })).status).toBe(401);
    server.faults.acceptToken('second');
    expect((await client.get(pods, { token: 'second' })).status).toBe(200);
  });

  it.each(['/healthz', '/livez', '/readyz', '/version'])('lets anybody read %s', async (path) => {
    expect((await client.get(path, { token: null })).status).toBe(200);
  });
});

describe('discovery', () => {
  it('names groups, versions and resources, registered ones too', async () => {
    server.register({
      group: 'kubevirt.io',
      version: 'v1',
      plural: 'virtualmachines',
      kind: 'VirtualMachine',
      namespaced: true,
      statusSubresource: true,
    });
    const groups = await client.get('/apis');
    expect(JSON.stringify(groups.body)).toContain('"groupVersion":"kubevirt.io/v1"');
    const { body } = await client.get('/apis/kubevirt.io/v1');
    expect(body).toMatchObject({
      kind: 'APIResourceList',
      groupVersion: 'kubevirt.io/v1',
      resources: [{ name: 'virtualmachines', kind: 'VirtualMachine' }, { name: 'virtualmachines/status' }],
    });
    expect((await client.get('/apis/kubevirt.io/v1/namespaces/x/virtualmachines')).status).toBe(200);
    expect((await client.get('/api/v1')).body).toMatchObject({ groupVersion: 'v1' });
  });

  it('refuses a plural that another group has', () => {
    const pods = {
      group: 'metrics.k8s.io',
      version: 'v1',
      plural: 'pods',
      kind: 'PodMetrics',
      namespaced: true,
      statusSubresource: false,
    };
    expect(() => server.register(pods)).toThrow('plural must be of one group');
  });
});

describe('the log of calls', () => {
  it('names verb, resource, subresource, namespace, name, token and status', async () => {
    server.objects.create('pods', podNamed('web'));
    await client.get(`${pods}/web/status`, { token: 'second' });
    expect(server.calls.all.at(-1)).toEqual({
      verb: 'get',
      resource: 'pods',
      subresource: 'status',
      namespace: 'default',
      name: 'web',
      token: 'second',
      url: `${pods}/web/status`,
      status: 200,
    });
  });

  it('counts by verb and resource and starts anew', async () => {
    await client.get(pods);
    await client.get(`${pods}/nope`);
    await client.get('/api/v1/nodes');
    const { calls } = server;
    expect([calls.count(), calls.count('list'), calls.count('list', 'pods'), calls.count(undefined, 'pods')]).toEqual([
      3, 2, 1, 2,
    ]);
    expect(calls.counts()).toEqual({ 'list pods': 1, 'get pods': 1, 'list nodes': 1 });
    expect(calls.matching({ verb: ['get'], resource: 'pods' })).toMatchObject([{ name: 'nope', status: 404 }]);
    calls.reset();
    expect([calls.count(), calls.all.length]).toEqual([0, 0]);
  });
});

describe('access reviews', () => {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const review = {
    spec: { user: 'eve', resourceAttributes: { verb: 'use', resource: 'network-attachment-definitions' } },
  };

  it('allows by default', async () => {
    const { status, body } = await client.post(path, review);
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'SubjectAccessReview', spec: review.spec, status: { allowed: true } });
  });

  it('asks the hook', async () => {
    const strict = await startApiServer({
      decideAccess: ({ spec }) => ({ allowed: spec['user'] !== 'eve', reason: 'no' }),
    });
    const strictClient = new TestClient(strict);
    expect((await strictClient.post(path, review)).body).toMatchObject({ status: { allowed: false, reason: 'no' } });
    await strictClient.close();
    await strict.stop();
  });
});
