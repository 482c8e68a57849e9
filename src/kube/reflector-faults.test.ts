// What the reflector does when the API server, or the way to it, is not well.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { PodWatch } from './test-watch.ts';

let watch: PodWatch;
afterEach(() => watch.stop());

const soon = (check: () => void) => vi.waitFor(check, { timeout: 8000, interval: 5 });
/** Breaks the watch and keeps it from coming back until released, so that changes happen behind the agent's back. */
const blindfold = async () => {
  const held = watch.server.faults.hang({ verb: 'watch' });
  watch.server.faults.dropWatches({ abruptly: true });
  await held.held;
  return held;
};

describe('a watch that ends', () => {
  it.each([
    ['a dropped connection', true],
    ['the end that the server sets', false],
  ])('after %s it resumes where it was, without a missed change and without a second list', async (_, abruptly) => {
    watch = await PodWatch.start(['a', 'b']);
    await watch.begin();
    watch.server.faults.dropWatches({ abruptly });
    watch.edit('a', 'blue');
    watch.remove('b');
    watch.create('c');
    await soon(() => expect(watch.changes).toEqual(['a new', 'b new', 'a blue', 'b gone', 'c new']));
    expect(watch.calls('list')).toHaveLength(1);
    await soon(() => expect(watch.reflector.isConnected).toBe(true));
  });

  it('in the middle of an event, it gets the event whole after all', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    const cut = watch.server.faults.cutMidAnswer({ verb: 'watch', count: 1 });
    watch.edit('a', 'blue');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue']));
    expect([cut.hits, watch.calls('list').length, watch.calls('watch').length]).toEqual([1, 1, 2]);
  });

  it('resumes from a bookmark, so that nothing is replayed that did not concern it', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    for (let i = 0; i < 5; i += 1) watch.create(`elsewhere-${i}`, 'node-b');
    const passed = watch.server.objects.find({ resource: 'pods', name: 'elsewhere-4', namespace: 'default' });
    watch.server.faults.sendBookmarks();
    watch.create('marker');
    await soon(() => expect(watch.names).toEqual(['a', 'marker']));
    watch.server.faults.sendBookmarks();
    watch.server.faults.dropWatches();
    await soon(() => expect(watch.resumedFrom).toHaveLength(2));
    expect(Number(watch.resumedFrom[1])).toBeGreaterThan(Number(passed?.metadata.resourceVersion));
    expect(watch.changes).toEqual(['a new', 'marker new']);
  });

  it('by itself, since nothing was heard for too long, it is opened anew', async () => {
    watch = await PodWatch.start(['a'], { silenceMs: 60 });
    await watch.begin();
    await soon(() => expect(watch.calls('watch').length).toBeGreaterThan(2));
    expect(watch.calls('list')).toHaveLength(1);
    expect(watch.errors, 'nothing may have happened').toEqual([]);
    watch.edit('a', 'blue');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue']));
  });

  it('that nobody answers is a fault, and is told of', async () => {
    watch = await PodWatch.start(['a'], { silenceMs: 60 });
    const hang = watch.server.faults.hang({ verb: 'watch', count: 1 });
    watch.reflector.start();
    await soon(() => expect(String(watch.errors[0]?.error)).toContain('no answer for 60 ms'));
    hang.release();
    await soon(() => expect(watch.reflector.isConnected).toBe(true));
  });

  it('does not count as silent while anything is heard', async () => {
    watch = await PodWatch.start(['a'], { silenceMs: 1000 });
    await watch.begin();
    const started = Date.now();
    const bookmarks = setInterval(() => watch.server.faults.sendBookmarks(), 50);
    await vi.waitFor(() => expect(Date.now() - started).toBeGreaterThan(1500), { timeout: 3000 });
    clearInterval(bookmarks);
    expect(watch.calls('watch')).toHaveLength(1);
  });
});

describe('a version that the server no longer knows', () => {
  it('makes it read the list again, and report what was deleted meanwhile', async () => {
    watch = await PodWatch.start(['stays', 'changes', 'goes']);
    await watch.begin();
    const held = await blindfold();
    watch.edit('changes', 'blue');
    watch.remove('goes');
    watch.create('comes');
    watch.server.faults.expireHistory();
    held.release();
    await soon(() => expect(watch.names).toEqual(['changes', 'comes', 'stays']));
    expect(watch.changes.slice(3).toSorted()).toEqual(['changes blue', 'comes new', 'goes gone']);
    expect(watch.calls('list')).toHaveLength(2);
    expect(watch.errors.some(({ error }) => error instanceof ApiError && error.statusCode === 410)).toBe(true);
  });

  it('in the middle of a list, makes it start the list over', async () => {
    watch = await PodWatch.start(['a', 'b', 'c'], { pageSize: 2 });
    let lists = 0;
    watch.server.faults.onRequest(
      () => {
        lists += 1;
        if (lists === 2) watch.server.faults.expireHistory();
      },
      'received',
      { verb: 'list' },
    );
    await watch.begin();
    expect([watch.names, watch.calls('list').length]).toEqual([['a', 'b', 'c'], 4]);
    expect(watch.calls('list').map(({ url }) => url.includes('continue='))).toEqual([false, true, false, true]);
  });
});

describe('an API server that is not well', () => {
  it('goes down and comes back on the same port: nothing is missed', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    await watch.server.down();
    await soon(() => expect(watch.reflector.isConnected).toBe(false));
    watch.edit('a', 'blue');
    watch.create('b');
    await soon(() => expect(watch.errors.length).toBeGreaterThan(2));
    await watch.server.up();
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue', 'b new']));
    expect(watch.calls('list')).toHaveLength(1);
  });

  it('is down from the start: the list is read as soon as it is there', async () => {
    watch = await PodWatch.start(['a']);
    await watch.server.down();
    watch.reflector.start();
    await soon(() => expect(watch.errors.length).toBeGreaterThan(1));
    await watch.server.up();
    await watch.reflector.synced;
    expect(watch.names).toEqual(['a']);
  });

  it('rejects the token for a while', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    watch.server.faults.rejectToken('embedded-admin');
    watch.server.faults.dropWatches();
    await soon(() =>
      expect(watch.errors.some(({ error }) => error instanceof ApiError && error.statusCode === 401)).toBe(true),
    );
    watch.edit('a', 'blue');
    watch.server.faults.acceptToken('embedded-admin');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue']));
    expect(watch.calls('list')).toHaveLength(1);
  });

  it('answers lists and watches with 500 for a while', async () => {
    watch = await PodWatch.start(['a']);
    watch.server.faults.fail(500, { verb: 'list', count: 3 });
    watch.server.faults.fail(503, { verb: 'watch', count: 3 });
    await watch.begin();
    watch.edit('a', 'blue');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue']));
    expect([watch.calls('list').length, watch.calls('watch').length]).toEqual([4, 4]);
  });

  it('is slow', async () => {
    watch = await PodWatch.start(['a']);
    watch.server.faults.latency(100);
    await watch.begin();
    watch.edit('a', 'blue');
    await soon(() => expect(watch.changes).toEqual(['a new', 'a blue']));
    expect(watch.errors).toEqual([]);
  });

  it('breaks a list off in the middle: half a list is none', async () => {
    watch = await PodWatch.start(['a', 'b', 'c']);
    watch.server.faults.cutMidAnswer({ verb: 'list', count: 1 });
    await watch.begin();
    expect([watch.names, watch.changes.length]).toEqual([['a', 'b', 'c'], 3]);
  });
});

describe('a resource that is not installed', () => {
  const claims = { path: '/apis/k8s.cni.cncf.io/v1alpha1/ipamclaims', query: {}, isOptional: true };
  const definition = {
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  };

  it('counts as empty, and is found when it appears', async () => {
    watch = await PodWatch.start([], claims);
    watch.reflector.start();
    await watch.reflector.synced;
    expect([watch.names, watch.reflector.isConnected, watch.errors]).toEqual([[], true, []]);
    watch.server.register(definition);
    watch.server.objects.create('ipamclaims', {
      apiVersion: 'k8s.cni.cncf.io/v1alpha1',
      kind: 'IPAMClaim',
      metadata: { name: 'vm.blue', namespace: 'default' },
    });
    await soon(() => expect(watch.names).toEqual(['vm.blue']));
  });

  it('is waited for when it is not optional', async () => {
    watch = await PodWatch.start([], { ...claims, isOptional: false });
    let isSynced = false;
    void watch.reflector.synced.then(() => {
      isSynced = true;
    });
    watch.reflector.start();
    await soon(() => expect(watch.errors.length).toBeGreaterThan(2));
    expect(isSynced).toBe(false);
  });
});

describe('stop', () => {
  it('ends the watch and asks for nothing more', async () => {
    watch = await PodWatch.start(['a']);
    await watch.begin();
    await watch.reflector.stop();
    await soon(() => expect(watch.server.openWatches).toEqual([]));
    const asked = watch.server.calls.count();
    watch.edit('a', 'blue');
    expect([watch.changes, watch.server.calls.count(), watch.errors]).toEqual([['a new'], asked, []]);
  });

  it.each([
    ['the list hangs', { verb: 'list' } as const],
    ['the watch hangs', { verb: 'watch' } as const],
  ])('ends at once while %s', async (_, filter) => {
    watch = await PodWatch.start(['a']);
    const hang = watch.server.faults.hang(filter);
    watch.reflector.start();
    await hang.held;
    await watch.reflector.stop();
    expect(watch.errors).toEqual([]);
  });

  it('ends at once while it pauses after a failure', async () => {
    watch = await PodWatch.start(['a'], { backoffMinMs: 60_000, backoffMaxMs: 60_000 });
    watch.server.faults.fail(500);
    watch.reflector.start();
    await soon(() => expect(watch.errors).toHaveLength(1));
    await watch.reflector.stop();
  });

  it('does no harm when it never started', async () => {
    watch = await PodWatch.start();
    await watch.reflector.stop();
    expect(watch.server.calls.count()).toBe(0);
  });
});
