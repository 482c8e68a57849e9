import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { podNamed } from '../embedded/api/test-client.ts';
import { ApiClient } from './api-client.ts';
import { ApiError, apiErrorOf } from './api-error.ts';
import { kubeConfigOf } from './test-watch.ts';

let server: EmbeddedApiServer;
let client: ApiClient;
const calls: string[] = [];
const onCall = (method: string, code: number | 'error') => calls.push(`${method} ${code}`);

beforeEach(async () => {
  calls.length = 0;
  server = await startApiServer();
  server.objects.create('pods', podNamed('web'));
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000, onCall });
});
afterEach(async () => {
  vi.useRealTimers();
  await client.close();
  await server.stop();
});

const path = '/api/v1/namespaces/default/pods/web';
const get = () => client.json({ method: 'GET', path });

describe('requests', () => {
  it('send method, query, content type, body, token and who asks, and read the answer', async () => {
    const answer = await client.json({
      method: 'PATCH',
      path,
      query: { fieldManager: 'x y' },
      contentType: 'application/merge-patch+json',
      body: { metadata: { annotations: { a: 'é' } } },
    });
    expect(answer).toMatchObject({ metadata: { name: 'web', annotations: { a: 'é' } } });
    expect(server.calls.all.at(-1)).toMatchObject({
      verb: 'patch',
      contentType: 'application/merge-patch+json',
      token: 'embedded-admin',
      userAgent: 'test',
      url: expect.stringMatching(/fieldManager=x(\+|%20)y$/),
    });
    expect(calls).toEqual(['PATCH 200']);
  });

  it('many in a row take a connection or two', async () => {
    for (let i = 0; i < 20; i += 1) await get();
    expect(server.connections).toBeLessThanOrEqual(2);
    expect(server.calls.count('get', 'pods')).toBe(20);
  });

  it('regression: a burst from the start takes few connections, not one for each', async () => {
    await Promise.all(Array.from({ length: 100 }, get));
    expect(server.connections).toBeLessThanOrEqual(16);
    expect(server.calls.count('get', 'pods')).toBe(100);
  });

  it('go on after the server closed idle connections', async () => {
    await get();
    await server.down();
    await server.up();
    await vi.waitFor(get, { timeout: 5000, interval: 5 });
  });

  it('keep a slash at the end of the server address from doubling', async () => {
    const config = new KubeConfig();
    config.loadFromString(server.kubeconfig().replace(server.url, `${server.url}/`));
    const other = new ApiClient(config, { userAgent: 'test', requestTimeoutMs: 2000 });
    await expect(other.json({ method: 'GET', path })).resolves.toMatchObject({ kind: 'Pod' });
    await other.close();
  });

  it('cannot be made without a cluster', () => {
    expect(() => new ApiClient(new KubeConfig(), { userAgent: 'test', requestTimeoutMs: 1 })).toThrow(
      /names no current cluster/,
    );
  });
});

describe('deadlines', () => {
  it('end a request that is not answered', async () => {
    const hang = server.faults.hang();
    const impatient = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 100, onCall });
    await expect(impatient.json({ method: 'GET', path })).rejects.toThrow(/timeout/i);
    hang.release();
    await impatient.close();
    expect(calls).toEqual(['GET error']);
  });

  it('end a request that the caller gives up', async () => {
    const hang = server.faults.hang();
    const giveUp = new AbortController();
    const answer = client.json({ method: 'GET', path, signal: giveUp.signal });
    const rejected = expect(answer).rejects.toThrow('enough');
    await hang.held;
    giveUp.abort(new Error('enough'));
    await rejected;
    hang.release();
  });

  it('do not end a stream, which only its signal ends', async () => {
    const impatient = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 50 });
    const end = new AbortController();
    const body = await impatient.stream({
      method: 'GET',
      path: '/api/v1/pods',
      query: { watch: 'true' },
      signal: end.signal,
    });
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) chunks.push(String(chunk));
    })();
    reading.catch(() => undefined);
    const started = Date.now();
    await vi.waitFor(() => expect(Date.now() - started).toBeGreaterThan(150), { timeout: 2000 });
    server.objects.create('pods', podNamed('late'));
    await vi.waitFor(() => expect(chunks.join('')).toContain('"late"'), { timeout: 2000 });
    end.abort(new Error('done'));
    await expect(reading).rejects.toThrow('done');
    await impatient.close();
  });
});

describe('answers that are errors', () => {
  it.each([
    [404, 'NotFound'],
    [403, 'Forbidden'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
  ])('%i is thrown with its reason and message', async (code, reason) => {
    server.faults.fail(code, { message: 'because' });
    const error = await get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ statusCode: code, reason, message: 'because' });
    expect(calls).toEqual([`GET ${code}`]);
  });

  it('a connection that is cut is no ApiError', async () => {
    server.faults.cutMidAnswer({ count: 1 });
    const error = await get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ApiError);
  });

  it.each([
    ['a page of a proxy', '<html>bad gateway</html>', 'the API server answered 502: <html>bad gateway</html>'],
    ['nothing', '', 'the API server answered 502: '],
    ['JSON that is no Status', '[]', 'the API server answered 502: []'],
    ['a page of any length, cut', 'x'.repeat(5000), `the API server answered 502: ${'x'.repeat(200)}`],
  ])('%s still tells the code', (_, body, message) => {
    expect(apiErrorOf(502, body)).toMatchObject({ statusCode: 502, reason: '', message });
  });
});

describe('credentials', () => {
  it('are read once, and again with the request after one that was refused', async () => {
    const config = kubeConfigOf(server);
    const read = vi.spyOn(config, 'applyToHTTPSOptions');
    const refused = new ApiClient(config, { userAgent: 'test', requestTimeoutMs: 2000 });
    const ask = () => refused.json({ method: 'GET', path });
    await ask();
    await ask();
    expect(read).toHaveBeenCalledTimes(1);
    server.faults.fail(401, { count: 1 });
    await expect(ask()).rejects.toMatchObject({ statusCode: 401 });
    await ask();
    await ask();
    expect(read).toHaveBeenCalledTimes(2);
    await refused.close();
  });

  it('that rotate on disk are picked up', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const directory = await mkdtemp(join(tmpdir(), 'token-'));
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'embedded-admin');
    const config = new KubeConfig();
    config.loadFromString(server.kubeconfig());
    const [user] = config.getUsers();
    config.loadFromOptions({
      clusters: config.getClusters(),
      contexts: config.getContexts(),
      currentContext: config.getCurrentContext(),
      users: [{ name: user?.name, authProvider: { name: 'tokenFile', config: { tokenFile } } }],
    });
    const rotating = new ApiClient(config, { userAgent: 'test', requestTimeoutMs: 2000 });
    const ask = () => rotating.json({ method: 'GET', path });
    await ask();
    await writeFile(tokenFile, 'rotated');
    server.faults.acceptToken('rotated');
    server.faults.rejectToken('embedded-admin');
    await expect(ask()).rejects.toMatchObject({ statusCode: 401 });
    vi.setSystemTime(Date.now() + 61_000);
    await expect(ask()).resolves.toMatchObject({ kind: 'Pod' });
    expect(server.calls.all.at(-1)?.token).toBe('rotated');
    expect(server.connections).toBeLessThanOrEqual(2); // the agent was kept: only the token is another
    await rotating.close();
    await rm(directory, { recursive: true });
  });
});
