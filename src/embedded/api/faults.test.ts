import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import { podNamed, TestClient } from './test-client.ts';

let server: EmbeddedApiServer;
let client: TestClient;

beforeEach(async () => {
  server = await startApiServer();
  client = new TestClient(server);
  server.objects.create('pods', podNamed('web'));
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

const web = '/api/v1/namespaces/default/pods/web';
const labelled = (value: string) => ({ metadata: { labels: { a: value } } });
const labelOfWeb = () => server.objects.find({ resource: 'pods', name: 'web' })?.metadata.labels?.['a'];

describe('fail', () => {
  it('answers so many times with the code, without acting', async () => {
    const fault = server.faults.fail(503, { verb: 'patch', resource: 'pods', count: 2 });
    const codes: number[] = [];
    for (const value of ['1', '2', '3']) codes.push((await client.patch(web, labelled(value))).status);
    expect(codes).toEqual([503, 503, 200]);
    expect(fault.hits).toBe(2);
    expect(labelOfWeb()).toBe('3');
  });

  it.each([
    [{ verb: 'get' } as const, 500],
    [{ verb: ['get', 'list'] } as const, 500],
    [{ verb: 'get', resource: 'pods', subresource: '' } as const, 500],
    [{ verb: 'get', resource: 'nodes' } as const, 200],
    [{ verb: 'list' } as const, 200],
    [{ name: 'web', namespace: 'default' } as const, 500],
    [{ name: 'other' } as const, 200],
    [{ token: 'embedded-admin' } as const, 500],
    [{ subresource: 'status' } as const, 200],
    [{} as const, 500],
  ])('with the filter %j a get of the pod is answered %d', async (filter, code) => {
    server.faults.fail(500, filter);
    expect((await client.get(web)).status).toBe(code);
  });

  it('can ask to retry later', async () => {
    server.faults.fail(429, { retryAfterSeconds: 7, message: 'slow down' });
    const { headers, body } = await client.get(web);
    expect(headers['retry-after']).toBe('7');
    expect(body).toMatchObject({ reason: 'TooManyRequests', message: 'slow down', details: { retryAfterSeconds: 7 } });
  });

  it('ends when switched off, or with all the others', async () => {
    const fault = server.faults.fail(500);
    fault.off();
    expect((await client.get(web)).status).toBe(200);
    server.faults.fail(500);
    server.faults.clear();
    expect((await client.get(web)).status).toBe(200);
  });

  it('keeps a watch from opening', async () => {
    server.faults.fail(500, { verb: 'watch' });
    await expect(client.watch('/api/v1/pods')).rejects.toThrow('watch refused: 500');
  });
});

describe('after acting', () => {
  it('the write is done although the answer is 500', async () => {
    server.faults.failAfterActing({ verb: 'patch', count: 1 });
    expect((await client.patch(web, labelled('1'))).status).toBe(500);
    expect(labelOfWeb()).toBe('1');
  });

  it('the write is done although the connection is cut', async () => {
    server.faults.failAfterActing({ verb: 'patch', answer: 'cut', count: 1 });
    await expect(client.patch(web, labelled('1'))).rejects.toThrow();
    expect(labelOfWeb()).toBe('1');
    expect((await client.get(web)).status).toBe(200);
  });

  it('a write that failed by itself is answered as it is', async () => {
    server.faults.failAfterActing({ answer: 'cut' });
    expect((await client.patch(`${web}x`, labelled('1'))).status).toBe(404);
  });
});

describe('cutMidAnswer', () => {
  it('breaks an answer off in the middle of its body', async () => {
    const fault = server.faults.cutMidAnswer({ verb: 'list', count: 1 });
    await expect(client.get('/api/v1/pods')).rejects.toThrow(/other side closed|aborted|terminated|ECONNRESET/);
    expect(fault.hits).toBe(1);
    expect((await client.get('/api/v1/pods')).status).toBe(200);
  });

  it('breaks a watch off in the middle of an event, and only the event it hits', async () => {
    const watch = await client.watch('/api/v1/pods');
    expect(await watch.take(1)).toEqual(['ADDED web']);
    server.faults.cutMidAnswer({ verb: 'watch', count: 1 });
    await client.patch(web, labelled('1'));
    await expect(watch.next()).rejects.toThrow();
    expect(watch.unread).toMatch(/^\{"type":"MODIFIED","object":\{"kind":"Pod"/);
    expect(() => JSON.parse(watch.unread)).toThrow(SyntaxError);
    const again = await client.watch('/api/v1/pods');
    expect(await again.take(1)).toEqual(['ADDED web']);
  });
});

describe('hang and latency', () => {
  it('holds a call until released, and acts only then', async () => {
    const hang = server.faults.hang({ verb: 'patch' });
    const answer = client.patch(web, labelled('1'));
    await hang.held;
    expect(labelOfWeb()).toBeUndefined();
    expect(server.calls.all.at(-1)?.status).toBeUndefined();
    hang.release();
    expect((await answer).status).toBe(200);
    expect(labelOfWeb()).toBe('1');
  });

  it('can hold the answer of a write that is done', async () => {
    const hang = server.faults.hang({ verb: 'patch', phase: 'acted' });
    const answer = client.patch(web, labelled('1'));
    await hang.held;
    expect(labelOfWeb()).toBe('1');
    hang.off();
    expect((await answer).status).toBe(200);
  });

  it('does not act for a client that is gone', async () => {
    const hang = server.faults.hang({ verb: 'patch' });
    const answer = client.patch(web, labelled('1'));
    await hang.held;
    await client.close();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => server.connections).toBe(0);
    hang.release();
    expect(labelOfWeb()).toBeUndefined();
  });

  it('delays', async () => {
    server.faults.latency(30, { verb: 'get' });
    const start = performance.now();
    await client.get(web);
    expect(performance.now() - start).toBeGreaterThan(28);
  });
});

describe('onRequest', () => {
  it('runs before and after the server acts, and the server waits for it', async () => {
    const seen: string[] = [];
    const note = (phase: string) => async () => {
      await Promise.resolve();
      seen.push(`${phase} ${labelOfWeb()}`);
    };
    server.faults.onRequest(note('received'), 'received', { verb: 'patch' });
    server.faults.onRequest(note('acted'), 'acted', { verb: 'patch', count: 1 });
    await client.patch(web, labelled('1'));
    await client.patch(web, labelled('2'));
    expect(seen).toEqual(['received undefined', 'acted 1', 'received 1']);
  });

  it('sees the call with the code it will be answered with', async () => {
    const codes: (number | undefined)[] = [];
    server.faults.onRequest((call) => void codes.push(call.status), 'received');
    server.faults.onRequest((call) => void codes.push(call.status), 'acted');
    await client.get(web);
    expect(codes).toEqual([undefined, 200]);
  });

  it.each([
    ['received', undefined],
    ['acted', '1'],
  ] as const)('that comes to cut at %s leaves the label %s and no answer', async (phase, label) => {
    server.faults.onRequest(async () => 'cut', phase, { verb: 'patch', count: 1 });
    await expect(client.patch(web, labelled('1'))).rejects.toThrow();
    expect(labelOfWeb()).toBe(label);
    expect((await client.patch(web, labelled('2'))).status).toBe(200);
  });

  it('during which the client dies leaves the call undone', async () => {
    server.faults.onRequest(async () => {
      await client.close();
      await expect.poll(() => server.connections).toBe(0);
    });
    const passed = Promise.withResolvers<void>();
    server.faults.onRequest(() => passed.resolve());
    await expect(client.patch(web, labelled('1'))).rejects.toThrow();
    await passed.promise;
    await new Promise(setImmediate);
    expect(labelOfWeb()).toBeUndefined();
  });

  it('that throws fails the call', async () => {
    server.faults.onRequest(() => {
      throw new Error('boom');
    });
    const { status, body } = await client.get(web);
    expect(status).toBe(500);
    expect(body.message).toContain('boom');
  });

  it('that throws after the client is gone stays without effect', async () => {
    const held = server.faults.onRequest(async () => {
      await client.close();
      throw new Error('nobody hears this');
    });
    await expect(client.get(web)).rejects.toThrow();
    expect(held.hits).toBe(1);
  });
});

describe('dropWatches', () => {
  it('ends them cleanly', async () => {
    const watch = await client.watch('/api/v1/nodes');
    expect(server.faults.dropWatches()).toBe(1);
    expect(await watch.next()).toBeUndefined();
    expect(server.faults.dropWatches()).toBe(0);
  });

  it('or abruptly, and only those asked for', async () => {
    const nodes = await client.watch('/api/v1/nodes');
    const pods = await client.watch('/api/v1/pods?labelSelector=none');
    expect(server.faults.dropWatches({ resource: 'nodes', abruptly: true })).toBe(1);
    await expect(nodes.next()).rejects.toThrow();
    server.objects.create('pods', podNamed('b', { labels: { none: '' } }));
    expect(await pods.take(1)).toEqual(['ADDED b']);
  });
});
