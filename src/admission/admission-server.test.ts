import { Agent, request as requestHttps } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import type { AdmissionDecision } from '../model/admission.ts';
import { readText } from '../transport/http-exchange.ts';
import { type AdmissionOutcome, AdmissionServer, type Decide } from './admission-server.ts';
import { makeCertificate } from './make-certificate.ts';
import type { MadeCertificate } from './plan-certificate.ts';
import { NAMES, shakeHands } from './test-certificates.ts';

const [servername = ''] = NAMES;
const made: MadeCertificate = await makeCertificate(NAMES, new Date());
const running: AdmissionServer[] = [];
const outcomes: [string, AdmissionOutcome][] = [];
const bugs: unknown[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop({ lingerMs: 0, graceMs: 0 })));
  outcomes.length = 0;
  bugs.length = 0;
});

const start = async (decide: Decide): Promise<AdmissionServer> => {
  const server = await AdmissionServer.start({
    host: '127.0.0.1',
    port: 0,
    certificate: made.pair,
    webhooks: { '/validate': decide },
    onAnswer: (path, outcome) => outcomes.push([path, outcome]),
    onBug: (_, error) => bugs.push(error),
  });
  running.push(server);
  return server;
};

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly agent?: Agent;
  readonly ca?: string;
}

const send = async (server: AdmissionServer, { path = '/validate', method = 'POST', body = '', agent, ca }: Sent) => {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; text: string; connection: string }>();
  const outgoing = requestHttps(
    {
      host: '127.0.0.1',
      port: server.port,
      servername,
      ca: ca ?? made.authorityPem,
      path,
      method,
      agent: agent ?? false,
    },
    (answer) => {
      readText(answer, 1e6).then(
        (text) => resolve({ code: answer.statusCode ?? 0, text, connection: String(answer.headers.connection) }),
        reject,
      );
    },
  );
  outgoing.once('error', reject);
  outgoing.end(body);
  return await promise;
};

const review = (request: object = {}) =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'u1',
      operation: 'UPDATE',
      namespace: 'ns1',
      name: 'web',
      userInfo: { username: 'anna', groups: ['dev'], extra: { scopes: ['a', 'b'] } },
      object: { metadata: { name: 'web', annotations: { a: '1' } } },
      oldObject: { metadata: { name: 'web' } },
      ...request,
    },
  });

const answerOf = (text: string): unknown => JSON.parse(text);

describe('a question', () => {
  it('reaches the webhook of its path as what decisions need', async () => {
    let seen: unknown;
    const server = await start(async (request) => {
      seen = request;
      return {};
    });
    const { code, text } = await send(server, { body: review() });
    expect(seen).toEqual({
      uid: 'u1',
      operation: 'UPDATE',
      namespace: 'ns1',
      user: { username: 'anna', groups: ['dev'], extra: { scopes: ['a', 'b'] } },
      object: { name: 'web', generateName: '', labels: {}, annotations: { a: '1' }, owners: [] },
      oldObject: { name: 'web', generateName: '', labels: {}, annotations: {}, owners: [] },
    });
    expect([code, answerOf(text)]).toEqual([
      200,
      { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'u1', allowed: true } },
    ]);
    expect(outcomes).toEqual([['/validate', 'allowed']]);
  });

  it.each<[string, AdmissionDecision, object, AdmissionOutcome]>([
    [
      'a refusal has its code and reason',
      { refusal: { reason: 'Forbidden', message: 'no' } },
      { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'no' } },
      'refused',
    ],
    [
      'a refusal for now tells when to come again',
      { refusal: { reason: 'ServiceUnavailable', message: 'wait', retryAfterSeconds: 1 } },
      {
        allowed: false,
        status: { code: 503, reason: 'ServiceUnavailable', message: 'wait', details: { retryAfterSeconds: 1 } },
      },
      'refused',
    ],
    ['warnings pass', { warnings: ['careful'] }, { allowed: true, warnings: ['careful'] }, 'warned'],
    [
      'a patch is in base64',
      { patch: [{ op: 'add', path: '/a', value: 1 }] },
      {
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
      },
      'allowed',
    ],
  ])('%s', async (_, decision, response, outcome) => {
    const server = await start(async () => decision);
    const { text } = await send(server, { body: review() });
    expect(answerOf(text)).toMatchObject({ response: { uid: 'u1', ...response } });
    expect(outcomes).toEqual([['/validate', outcome]]);
  });

  it('may have nulls where Go writes them', async () => {
    const server = await start(async ({ oldObject, object, user }) => ({
      warnings: [JSON.stringify([oldObject, object.annotations, user.groups])],
    }));
    const { text } = await send(server, {
      body: review({
        oldObject: null,
        object: { metadata: { annotations: null } },
        userInfo: { username: 'x', groups: null, extra: null },
      }),
    });
    expect(answerOf(text)).toMatchObject({ response: { warnings: ['[null,{},[]]'] } });
  });
});

describe('what cannot be understood', () => {
  it.each<[string, Sent, number, string]>([
    ['another path', { path: '/other', body: review() }, 404, 'no webhook has this path'],
    ['a path of Object’s own', { path: '/constructor', body: review() }, 404, 'no webhook has this path'],
    ['another method', { method: 'GET' }, 405, 'POST'],
    ['no JSON', { body: '{' }, 400, 'the body is not JSON'],
    ['no review', { body: '[]' }, 400, 'the body is no AdmissionReview'],
    [
      'another version',
      { body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}' },
      400,
      'only admission.k8s.io/v1 is understood',
    ],
    ['no request', { body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}' }, 400, 'cannot be read'],
    ['an operation that is not ours', { body: review({ operation: 'DELETE' }) }, 400, 'operation'],
    ['no user', { body: review({ userInfo: undefined }) }, 400, 'userInfo'],
    ['more than anybody should send', { body: review({ padding: 'x'.repeat(9 << 20) }) }, 413, 'longer than'],
  ])('%s is refused with the reason', async (_, sent, code, message) => {
    const server = await start(async () => ({}));
    const answer = await send(server, sent);
    expect([answer.code, answer.text]).toEqual([code, expect.stringContaining(message)]);
    expect(bugs).toEqual([]);
  });

  it('a bug of ours refuses, says so, and is reported', async () => {
    const server = await start(() => Promise.reject(new Error('oh')));
    const { text } = await send(server, { body: review() });
    expect(answerOf(text)).toMatchObject({
      response: { allowed: false, status: { code: 503, message: 'the webhook failed unexpectedly: oh' } },
    });
    expect([bugs, outcomes]).toEqual([[new Error('oh')], [['/validate', 'failed']]]);
  });
});

describe('time', () => {
  it('a decision that takes too long is answered with its reason before the API server gives up', async () => {
    let ended: unknown;
    const server = await start(async (_, signal) => {
      signal.addEventListener('abort', () => {
        ended = signal.reason;
      });
      return await new Promise(() => undefined);
    });
    const { text } = await send(server, { path: '/validate?timeout=100ms', body: review() });
    expect(answerOf(text)).toMatchObject({
      response: { allowed: false, status: { code: 503, message: expect.stringContaining('no decision in time') } },
    });
    expect(String(ended)).toContain('TimeoutError');
    expect(outcomes).toEqual([['/validate', 'late']]);
  });
});

describe('health', () => {
  it('is told without a review', async () => {
    const server = await start(async () => ({}));
    expect(await send(server, { path: '/healthz', method: 'GET' })).toMatchObject({ code: 200, text: 'ok\n' });
  });
});

describe('certificates', () => {
  it('a new one serves new connections while old connections go on', async () => {
    const server = await start(async () => ({}));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await send(server, { body: review(), agent });
    const other = await makeCertificate(NAMES, new Date());
    server.useCertificate(other.pair);
    // This agent trusts the first authority only, so the answer must have come over its old connection.
    expect(await send(server, { body: review(), agent })).toMatchObject({ code: 200 });
    agent.destroy();
    await expect(shakeHands(server.port, made.authorityPem, servername)).rejects.toThrow();
    await shakeHands(server.port, other.authorityPem, servername);
    await shakeHands(server.port, made.authorityPem + other.authorityPem, servername);
  });
});

describe('stopping', () => {
  it('answers what was asked, and tells clients to go elsewhere', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<AdmissionDecision>();
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const server = await start(() => {
      onAsked();
      return held;
    });
    const agent = new Agent({ keepAlive: true });
    const answer = send(server, { body: review(), agent });
    await asked;
    const stopped = server.stop({ lingerMs: 0, graceMs: 60_000 });
    running.length = 0;
    await expect(shakeHands(server.port, made.authorityPem, servername)).rejects.toThrow();
    release({});
    expect(await answer).toMatchObject({ code: 200, connection: 'close' });
    await stopped;
    agent.destroy();
  });

  it('serves new connections while it lingers', async () => {
    const server = await start(async () => ({}));
    const stopped = server.stop({ lingerMs: 300, graceMs: 0 });
    running.length = 0;
    expect(await send(server, { body: review() })).toMatchObject({ code: 200, connection: 'close' });
    await stopped;
  });

  it('does not wait for ever', async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const server = await start(() => {
      onAsked();
      return new Promise(() => undefined);
    });
    const answer = send(server, { body: review() }).catch((error: unknown) => error);
    await asked;
    running.length = 0;
    await server.stop({ lingerMs: 0, graceMs: 10 });
    expect(await answer).toBeInstanceOf(Error);
  });
});
