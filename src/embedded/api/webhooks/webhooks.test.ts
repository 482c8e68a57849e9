import { createServer, type Server } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../api-server.ts';
import { makeCertificate, type ServingCertificate } from '../certificate.ts';
import { TestClient } from '../test-client.ts';

let api: EmbeddedApiServer;
let client: TestClient;
let webhook: Server;
let certificate: ServingCertificate;
let seen: { uid: string; operation: string; object: object; oldObject: unknown; userInfo: object }[] = [];
let respond: (request: { uid: string }) => unknown = () => undefined;
const pods = '/api/v1/namespaces/default/pods';

beforeEach(async () => {
  seen = [];
  respond = () => ({ allowed: true });
  certificate = await makeCertificate();
  webhook = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const { request: asked } = JSON.parse(text);
      seen.push({ ...asked, url: request.url });
      const answer = { kind: 'AdmissionReview', response: { uid: asked.uid, ...Object(respond(asked)) } };
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  api = await startApiServer({
    webhooks: {
      resolveService: () => 'nowhere:1',
      matchConditions: { labelled: ({ object }) => object.metadata.labels?.['asked'] === 'yes' },
      users: { 'embedded-admin': { username: 'admin', groups: ['masters'] } },
    },
  });
  client = new TestClient(api);
});
afterEach(async () => {
  await client.close();
  await api.stop();
  webhook.closeAllConnections();
  await new Promise((resolve) => webhook.close(resolve));
});

const configure = (kind: 'mutating' | 'validating', more: object = {}) => {
  const address = webhook.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  api.objects.create(`${kind}webhookconfigurations`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'WebhookConfiguration',
    metadata: { name: kind },
    webhooks: [
      {
        name: `${kind}.example.org`,
        clientConfig: {
          url: `https://localhost:${port}/${kind}`,
          caBundle: Buffer.from(certificate.certPem).toString('base64'),
        },
        rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        timeoutSeconds: 5,
        ...more,
      },
    ],
  });
};

const pod = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels }, spec: {} });

describe('a webhook', () => {
  it('is asked before a pod is made and before it is changed, with what it was and who asks', async () => {
    configure('validating');
    await client.post(pods, pod('a'));
    await client.patch(`${pods}/a`, { metadata: { annotations: { x: '1' } } });
    expect(seen).toMatchObject([
      { operation: 'CREATE', oldObject: null, url: '/validating?timeout=5s', userInfo: { username: 'admin' } },
      {
        operation: 'UPDATE',
        object: { metadata: { name: 'a', annotations: { x: '1' } } },
        oldObject: { metadata: { name: 'a' } },
      },
    ]);
  });

  it('refuses with its own code, reason and message', async () => {
    configure('validating');
    respond = () => ({ allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not you' } });
    const { status, body } = await client.post(pods, pod('a'));
    expect([status, body.message]).toEqual([
      403,
      'admission webhook "validating.example.org" denied the request: not you',
    ]);
    expect(api.objects.find({ resource: 'pods', namespace: 'default', name: 'a' })).toBeUndefined();
  });

  it('tells warnings in the headers', async () => {
    configure('validating');
    respond = () => ({ allowed: true, warnings: ['be careful'] });
    const { status, headers } = await client.post(pods, pod('a'));
    expect([status, headers['warning']]).toEqual([201, '299 - "be careful"']);
  });

  it('that mutates changes what is stored, and what validating ones see', async () => {
    configure('mutating');
    configure('validating');
    const patch = [{ op: 'add', path: '/metadata/annotations', value: { added: 'yes' } }];
    respond = () =>
      seen.length === 1
        ? { allowed: true, patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : { allowed: true };
    const { body } = await client.post(pods, pod('a'));
    expect(body.metadata.annotations).toEqual({ added: 'yes' });
    expect(seen[1]).toMatchObject({ object: { metadata: { annotations: { added: 'yes' } } } });
  });

  it.each([
    ['Fail', 500],
    ['Ignore', 201],
  ])('that cannot be reached counts as failurePolicy %s says', async (failurePolicy, expected) => {
    configure('validating', { failurePolicy, clientConfig: { url: 'https://127.0.0.1:1/', caBundle: '' } });
    expect((await client.post(pods, pod('a'))).status).toBe(expected);
  });

  it('whose certificate is not trusted is not believed', async () => {
    const other = await makeCertificate();
    const address = webhook.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const caBundle = Buffer.from(other.certPem).toString('base64');
    configure('validating', { clientConfig: { url: `https://localhost:${port}/`, caBundle } });
    expect((await client.post(pods, pod('a'))).status).toBe(500);
    expect(seen).toEqual([]);
  });
});

describe('nobody is asked', () => {
  it.each([
    [
      'about other operations',
      { rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] },
    ],
    [
      'about other resources',
      { rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'] }] },
    ],
    ['where a match condition does not hold', { matchConditions: [{ name: 'labelled', expression: 'true' }] }],
    [
      'in an excluded namespace',
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default'] }],
        },
      },
    ],
    ['about objects that are not selected', { objectSelector: { matchLabels: { a: 'b' } } }],
  ])('%s', async (_, more) => {
    configure('validating', more);
    expect((await client.post(pods, pod('a'))).status).toBe(201);
    expect(seen).toEqual([]);
  });

  it('and an unknown match condition is an error, not a guess', async () => {
    configure('validating', { matchConditions: [{ name: 'other', expression: 'true' }] });
    expect((await client.post(pods, pod('a'))).body.message).toContain('knows no match condition other');
  });
});

it('a pod that changes while a webhook thinks is judged again as it is then', async () => {
  api.objects.create('pods', { apiVersion: 'v1', kind: 'Pod', ...pod('a') });
  configure('validating');
  respond = () => {
    if (seen.length === 1) {
      api.objects.modify({ resource: 'pods', name: 'a' }, (draft) => {
        draft.metadata.labels = { late: 'yes' };
      });
    }
    return { allowed: true };
  };
  const { body } = await client.patch(`${pods}/a`, { metadata: { annotations: { x: '1' } } });
  expect(body.metadata).toMatchObject({ labels: { late: 'yes' }, annotations: { x: '1' } });
  expect(seen).toHaveLength(2);
});
