import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import { podNamed, TestClient } from './test-client.ts';

let server: EmbeddedApiServer;
let client: TestClient;

beforeEach(async () => {
  server = await startApiServer({ historySize: 20 });
  client = new TestClient(server);
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

const pods = '/api/v1/pods';
const refTo = (name: string) => ({ resource: 'pods', name });
const add = (name: string, labels: Record<string, string> = {}) =>
  server.objects.create('pods', podNamed(name, { labels }));
const label = (name: string, labels: Record<string, string>) =>
  server.objects.modify(refTo(name), (draft) => Object.assign(draft.metadata, { labels }));
const kill = (name: string) => server.objects.remove(refTo(name), { gracePeriodSeconds: 0 });
const versionNow = async () => (await client.get(pods)).body.metadata.resourceVersion;

describe('where a watch starts', () => {
  it.each(['', '?resourceVersion=0', '?resourceVersion='])('with %j: the present state first', async (query) => {
    add('b');
    add('a');
    const watch = await client.watch(`${pods}${query}`);
    expect(await watch.take(2)).toEqual(['ADDED a', 'ADDED b']);
    kill('a');
    expect(await watch.take(1)).toEqual(['DELETED a']);
  });

  it('with a version: what came after it, once and in order', async () => {
    const { metadata } = add('a');
    add('b');
    label('a', { x: '1' });
    server.objects.create('nodes', { apiVersion: '', kind: '', metadata: { name: 'n' } });
    const watch = await client.watch(`${pods}?resourceVersion=${metadata.resourceVersion}`);
    kill('b');
    expect(await watch.take(3)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED b']);
  });

  it('resumes from the version of the last event without loss or repetition', async () => {
    const first = await client.watch(`${pods}?resourceVersion=${await versionNow()}`);
    add('a');
    const seen = await first.next();
    first.close();
    label('a', { x: '1' });
    const second = await client.watch(`${pods}?resourceVersion=${seen?.object.metadata.resourceVersion}`);
    add('b');
    expect(await second.take(2)).toEqual(['MODIFIED a', 'ADDED b']);
  });

  it('with a version that is too old: one ERROR event, then the end', async () => {
    add('a');
    const old = await versionNow();
    for (let n = 0; n <= 20; n += 1) label('a', { n: String(n) });
    const watch = await client.watch(`${pods}?resourceVersion=${old}`);
    expect(await watch.next()).toEqual({
      type: 'ERROR',
      object: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'too old resource version: 2 (3)',
        reason: 'Expired',
        code: 410,
      },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('after expireHistory even the newest version is too old, a fresh list is not', async () => {
    add('a');
    const old = await versionNow();
    server.faults.expireHistory();
    expect(await (await client.watch(`${pods}?resourceVersion=${old}`)).take(2)).toEqual(['ERROR 410', 'end']);
    const watch = await client.watch(`${pods}?resourceVersion=${await versionNow()}`);
    add('b');
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it('in the future: waits until the cluster is there', async () => {
    const watch = await client.watch(`${pods}?resourceVersion=3`);
    add('a');
    add('b');
    add('c');
    expect(await watch.take(1)).toEqual(['ADDED c']);
  });
});

describe('what a watch sees', () => {
  it('through a label selector: objects come and go as they start and stop to match', async () => {
    const watch = await client.watch(`${pods}?labelSelector=app=web&resourceVersion=${await versionNow()}`);
    add('a', { app: 'db' });
    label('a', { app: 'web' });
    label('a', { app: 'web', x: '1' });
    const left = label('a', { app: 'db' });
    label('a', { app: 'cache' });
    kill('a');
    add('b', { app: 'web' });
    expect(await watch.take(2)).toEqual(['ADDED a', 'MODIFIED a']);
    const gone = await watch.next();
    expect(gone).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { app: 'web', x: '1' }, resourceVersion: left.metadata.resourceVersion } },
    });
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it('through a selector, replayed from history: the same', async () => {
    const from = await versionNow();
    add('a', { app: 'web' });
    label('a', { app: 'db' });
    add('b', { app: 'web' });
    const watch = await client.watch(`${pods}?labelSelector=app=web&resourceVersion=${from}`);
    expect(await watch.take(3)).toEqual(['ADDED a', 'DELETED a', 'ADDED b']);
  });

  it('through a field selector: its own node', async () => {
    const watch = await client.watch(
      `${pods}?fieldSelector=spec.nodeName=node-b&resourceVersion=${await versionNow()}`,
    );
    add('a');
    server.objects.create('pods', podNamed('b', { nodeName: 'node-b' }));
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it('in one namespace, or by one name', async () => {
    const inOther = await client.watch('/api/v1/namespaces/other/pods');
    const named = await client.watch('/api/v1/namespaces/default/pods/b');
    add('a');
    add('b');
    server.objects.create('pods', { ...podNamed('c'), metadata: { name: 'c', namespace: 'other' } });
    expect(await inOther.take(1)).toEqual(['ADDED c']);
    expect(await named.take(1)).toEqual(['ADDED b']);
  });

  it('the deletion at its own version, with the last state', async () => {
    add('a', { x: '1' });
    const from = await versionNow();
    const watch = await client.watch(`${pods}?resourceVersion=${from}`);
    kill('a');
    const event = await watch.next();
    expect(event?.object.metadata.labels).toEqual({ x: '1' });
    expect(Number(event?.object.metadata.resourceVersion)).toBe(Number(from) + 1);
  });

  it('what is written through HTTP as well', async () => {
    const watch = await client.watch(pods);
    await client.post('/api/v1/namespaces/default/pods', { metadata: { name: 'a' } });
    await client.patch('/api/v1/namespaces/default/pods/a', { metadata: { labels: { a: 'b' } } });
    await client.patch('/api/v1/namespaces/default/pods/a', { metadata: { labels: { a: 'b' } } });
    await client.delete('/api/v1/namespaces/default/pods/a');
    expect(await watch.take(3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });
});

describe('bookmarks', () => {
  it('carry kind and version only, and only to those who want them', async () => {
    add('a');
    const from = await versionNow();
    const wants = await client.watch(`${pods}?allowWatchBookmarks=true&resourceVersion=${from}`);
    const doesNot = await client.watch(`${pods}?resourceVersion=${from}`);
    server.objects.create('nodes', { apiVersion: '', kind: '', metadata: { name: 'n' } });
    server.faults.sendBookmarks();
    const resourceVersion = await versionNow();
    expect(await wants.next()).toEqual({
      type: 'BOOKMARK',
      object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion } },
    });
    add('b');
    expect(await doesNot.take(1)).toEqual(['ADDED b']);
  });

  it('come by themselves', async () => {
    const quick = await startApiServer({ bookmarkIntervalMs: 1 });
    const quickClient = new TestClient(quick);
    const watch = await quickClient.watch(`${pods}?allowWatchBookmarks=true`);
    expect((await watch.next())?.type).toBe('BOOKMARK');
    expect((await watch.next())?.type).toBe('BOOKMARK');
    await quickClient.close();
    await quick.stop();
  });
});

describe('the end of a watch', () => {
  it('comes cleanly after timeoutSeconds, after a last bookmark', async () => {
    const watch = await client.watch(`${pods}?timeoutSeconds=1&allowWatchBookmarks=true`);
    expect((await watch.next())?.type).toBe('BOOKMARK');
    expect(await watch.next()).toBeUndefined();
    expect(server.openWatches).toEqual([]);
  });

  it('is known to the server when the client goes', async () => {
    const watch = await client.watch(`${pods}?labelSelector=app=web`);
    expect(server.openWatches).toMatchObject([{ verb: 'watch', resource: 'pods', status: 200 }]);
    watch.close();
    await expect.poll(() => server.openWatches).toEqual([]);
  });
});

it.each([
  [
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    422,
    /sendInitialEvents is forbidden for watch unless the WatchList feature gate/,
  ],
  ['fieldSelector=spec.hostname=x', 400, /field label not supported/],
  ['resourceVersion=latest', 400, /resourceVersion: Invalid value: "latest"/],
])('refuses %s', async (query, code, message) => {
  const { status, body } = await client.get(`${pods}?watch=true&${query}`);
  expect(status).toBe(code);
  expect(body.message).toMatch(message);
});
