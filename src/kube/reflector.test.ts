import { afterEach, describe, expect, it, vi } from 'vitest';
import { PodWatch } from './test-watch.ts';

let watch: PodWatch;
afterEach(() => watch.stop());

const soon = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 });
const pod = (name: string) => watch.server.objects.find({ resource: 'pods', name, namespace: 'default' });

describe('the first list', () => {
  it('is read in pages, each object reported once', async () => {
    watch = await PodWatch.start(['a', 'b', 'c', 'd', 'e'], { pageSize: 2 });
    await watch.begin();
    expect(watch.names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(watch.changes.toSorted()).toEqual(['a new', 'b new', 'c new', 'd new', 'e new']);
    expect(watch.calls('list')).toHaveLength(3);
    expect(watch.calls('list').every(({ url }) => url.includes('limit=2'))).toBe(true);
  });

  it('asks for the pods of its node only', async () => {
    watch = await PodWatch.start(['a']);
    watch.create('elsewhere', 'node-b');
    await watch.begin();
    expect(watch.names).toEqual(['a']);
  });

  it('counts as read when there is nothing', async () => {
    watch = await PodWatch.start();
    await watch.begin();
    expect([watch.names, watch.reflector.isConnected]).toEqual([[], true]);
  });

  it('ignores objects that have no view', async () => {
    watch = await PodWatch.start(['a', 'b'], {
      view: (object) => (JSON.stringify(object).includes('"b"') ? undefined : Object(object).metadata),
    });
    await watch.begin();
    expect(watch.names).toEqual(['a']);
  });
});

describe('the watch', () => {
  it('tells of objects that come, change and go', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    watch.create('b');
    watch.edit('b', 'blue');
    watch.edit('a', 'red');
    watch.remove('b');
    await soon(() => expect(watch.changes).toEqual(['a new', 'b new', 'b blue', 'a red', 'b gone']));
    expect([watch.reflector.find('a')?.networksText, watch.reflector.find('b')]).toEqual(['red', undefined]);
    expect([watch.calls('list').length, watch.calls('watch').length]).toEqual([1, 1]);
  });

  it('tells of an object that leaves the selection as gone', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    watch.server.objects.modify({ resource: 'pods', name: 'a', namespace: 'default' }, (draft) => {
      draft.spec = { ...draft.spec, nodeName: 'node-b' };
    });
    await soon(() => expect(watch.changes).toEqual(['a new', 'a gone']));
  });

  it('asks for bookmarks and for an end after five to ten minutes', async () => {
    watch = await PodWatch.start([], { random: () => 0.5 });
    await watch.begin();
    const { searchParams } = new URL(watch.calls('watch')[0]?.url ?? '', 'http://x');
    expect([searchParams.get('allowWatchBookmarks'), searchParams.get('timeoutSeconds')]).toEqual(['true', '450']);
  });

  it('reads events of every size, also those that come in several pieces', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const long = 'é'.repeat(100_000);
    watch.edit('a', long);
    watch.edit('a', 'short');
    await soon(() => expect(watch.changes).toEqual(['a new', `a ${long}`, 'a short']));
  });
});

describe('accept', () => {
  it('takes an answer in ahead of the watch, and the event of it is no second change', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const held = watch.server.faults.hang({ verb: 'watch' });
    watch.server.faults.dropWatches({ abruptly: true });
    await held.held;
    watch.edit('a', 'blue');
    watch.reflector.accept(pod('a'));
    expect(watch.reflector.find('a')?.networksText).toBe('blue');
    held.release();
    watch.create('marker');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue', 'marker new']));
  });

  it('an older event does not undo what was taken in', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const held = watch.server.faults.hang({ verb: 'watch' });
    watch.server.faults.dropWatches({ abruptly: true });
    await held.held;
    watch.edit('a', 'first');
    watch.edit('a', 'second');
    watch.reflector.accept(pod('a'));
    held.release();
    watch.create('marker');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a second', 'marker new']));
  });

  it('an older answer does not undo what the watch brought', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const old = pod('a');
    watch.edit('a', 'blue');
    await soon(() => expect(watch.reflector.find('a')?.networksText).toBe('blue'));
    watch.reflector.accept(old);
    expect(watch.reflector.find('a')?.networksText).toBe('blue');
  });

  it('the deletion of a predecessor does not take away a newer pod of that name', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const held = watch.server.faults.hang({ verb: 'watch' });
    watch.server.faults.dropWatches({ abruptly: true });
    await held.held;
    watch.remove('a');
    watch.create('a');
    watch.reflector.accept(pod('a'));
    held.release();
    watch.create('marker');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a new', 'marker new']));
    expect(watch.reflector.find('a')?.uid).toBe(pod('a')?.metadata.uid);
  });

  it('regression: an answer from before a deletion that the watch told of does not bring the pod back', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const answer = pod('a');
    watch.remove('a');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a gone']));
    watch.reflector.accept(answer);
    expect([watch.names, watch.changes]).toEqual([[], ['a new', 'a gone']]);
  });

  it('takes in an object that the watch has not come to yet', async () => {
    watch = await PodWatch.start();
    await watch.begin();
    const held = watch.server.faults.hang({ verb: 'watch' });
    watch.server.faults.dropWatches({ abruptly: true });
    await held.held;
    watch.create('new');
    expect(watch.reflector.accept(pod('new'))?.name).toBe('new');
    expect(watch.names).toEqual(['new']);
    held.release();
  });

  it('takes nothing in that has no view', async () => {
    watch = await PodWatch.start();
    expect([watch.reflector.accept({ kind: 'Status' }), watch.names]).toEqual([undefined, []]);
  });
});
