// Kinds of objects that may or may not be installed, followed by several parts at once.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { isJsonObject } from '../model/json.ts';
import { ApiClient } from './api-client.ts';
import { ObjectIndex } from './object-index.ts';
import { kubeConfigOf } from './test-watch.ts';
import type { ObjectView, WatchSpec } from './watched-objects.ts';
import { Watches } from './watches.ts';

interface Widget extends ObjectView {
  readonly colour: string;
}

const widgets: WatchSpec<Widget> = {
  resource: { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' },
  view: (object) => {
    const metadata = isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata'] : {};
    const spec = isJsonObject(object) && isJsonObject(object['spec']) ? object['spec'] : {};
    return {
      key: `${metadata['namespace']}/${metadata['name']}`,
      resourceVersion: String(metadata['resourceVersion']),
      colour: String(spec['colour']),
    };
  },
};

let server: EmbeddedApiServer;
let client: ApiClient;
let watches: Watches;

beforeEach(async () => {
  server = await startApiServer();
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  watches = new Watches({ client, onError: () => undefined });
});
afterEach(async () => {
  await watches.stop();
  client.close();
  await server.stop();
});

const install = () =>
  server.register({
    group: 'example.com',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
    statusSubresource: false,
  });
const create = (name: string, colour: string) =>
  server.objects.create('widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'shop', name },
    spec: { colour },
  });
const paint = (name: string, colour: string) =>
  server.objects.modify({ resource: 'widgets', namespace: 'shop', name }, (draft) => {
    draft.spec = { colour };
  });

describe('watches', () => {
  it('of a kind that two parts follow: one list and one watch, and both hear of everything', async () => {
    install();
    create('one', 'red');
    const offered = watches.offer(widgets);
    const heardA: string[] = [];
    const heardB: string[] = [];
    offered().subscribe((key, after) => heardA.push(`${key} ${after?.colour ?? 'gone'}`));
    offered().subscribe((key, after) => heardB.push(`${key} ${after?.colour ?? 'gone'}`));
    watches.start();
    await watches.synced();
    paint('one', 'blue');
    await vi.waitFor(() => expect(heardA).toEqual(['shop/one red', 'shop/one blue']));
    expect(heardB).toEqual(heardA);
    expect(server.calls.matching({ verb: 'list', resource: 'widgets' })).toHaveLength(1);
  });

  it('that nobody called for are not made', async () => {
    install();
    watches.offer(widgets);
    watches.start();
    await watches.synced();
    expect(server.calls.matching({ resource: 'widgets' })).toEqual([]);
  });

  it('of a kind that is not installed count as connected and empty, and follow it when it comes', async () => {
    const offered = watches.offer(widgets)();
    watches.start();
    await watches.synced();
    expect([watches.disconnected, offered.list()]).toEqual([[], []]);
    install();
    create('late', 'green');
    await vi.waitFor(() => expect(offered.find('shop/late')?.colour).toBe('green'), { timeout: 15_000 });
  });

  it('say which kind is disconnected', async () => {
    install();
    watches.offer(widgets)();
    watches.start();
    await vi.waitFor(() => expect(watches.disconnected).toEqual([]));
    await server.down();
    await vi.waitFor(() => expect(watches.disconnected).toEqual(['widgets']));
    await server.up();
  });
});

describe('one object', () => {
  it('is read afresh, ahead of the watch, and undefined once it is gone', async () => {
    install();
    create('one', 'red');
    const offered = watches.offer(widgets)();
    const signal = AbortSignal.timeout(5000);
    expect((await offered.refresh('shop/one', signal))?.colour).toBe('red');
    expect(await offered.refresh('shop/none', signal)).toBeUndefined();
  });

  it('that cannot be read is an error that names it', async () => {
    install();
    server.faults.fail(500, { verb: 'get', message: 'etcd is away' });
    const read = watches.offer(widgets)().refresh('shop/one', AbortSignal.timeout(5000));
    await expect(read).rejects.toMatchObject({
      kind: 'apiUnreachable',
      message: expect.stringContaining('Widget shop/one cannot be read: '),
    });
  });
});

describe('an index', () => {
  it('finds by term, and follows changes and deletions', async () => {
    install();
    create('one', 'red');
    create('two', 'red');
    const offered = watches.offer(widgets)();
    const byColour = new ObjectIndex(offered, ({ colour }) => [colour, `very ${colour}`]);
    const found = (term: string) => byColour.find(term).map(({ key }) => key);
    watches.start();
    await watches.synced();
    expect([found('red'), found('very red'), found('blue')]).toEqual([
      ['shop/one', 'shop/two'],
      ['shop/one', 'shop/two'],
      [],
    ]);
    paint('one', 'blue');
    await vi.waitFor(() => expect([found('red'), found('blue')]).toEqual([['shop/two'], ['shop/one']]));
    server.objects.remove({ resource: 'widgets', namespace: 'shop', name: 'two' });
    await vi.waitFor(() => expect([found('red'), found('very red')]).toEqual([[], []]));
  });
});
