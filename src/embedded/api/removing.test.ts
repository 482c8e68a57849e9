import { describe, expect, it } from 'vitest';
import { podNamed } from './test-client.ts';
import { codeOf, storeWithLog } from './test-store.ts';

const ref = { resource: 'pods', namespace: 'default', name: 'web' };

describe('deleting', () => {
  const cases: { name: string; pod: object; options?: { gracePeriodSeconds?: number }; grace: number | 'gone' }[] = [
    { name: 'running pod gets its default grace', pod: {}, grace: 30 },
    {
      name: 'running pod gets the grace of its spec',
      pod: { spec: { nodeName: 'a', terminationGracePeriodSeconds: 7 } },
      grace: 7,
    },
    { name: 'grace asked for wins', pod: {}, options: { gracePeriodSeconds: 3 }, grace: 3 },
    { name: 'grace 0 removes at once', pod: {}, options: { gracePeriodSeconds: 0 }, grace: 'gone' },
    { name: 'unscheduled pod goes at once', pod: { spec: {} }, grace: 'gone' },
    { name: 'finished pod goes at once', pod: { status: { phase: 'Succeeded' } }, grace: 'gone' },
    {
      name: 'finalizer keeps a pod deleted with grace 0',
      pod: { metadata: { name: 'web', finalizers: ['x/y'] } },
      options: { gracePeriodSeconds: 0 },
      grace: 0,
    },
  ];
  it.each(cases)('$name', ({ pod, options, grace }) => {
    const { store, seen } = storeWithLog();
    store.create('pods', { ...podNamed('web'), ...pod });
    store.remove(ref, options);
    expect(store.find(ref)?.metadata.deletionGracePeriodSeconds ?? 'gone').toBe(grace);
    expect(seen()).toEqual(['ADDED web', grace === 'gone' ? 'DELETED web' : 'MODIFIED web']);
  });

  it('shortens a grace period, never prolongs it, and ends it with grace 0', () => {
    const { store } = storeWithLog();
    store.create('pods', podNamed('web'));
    const grace = () => store.find(ref)?.metadata.deletionGracePeriodSeconds;
    store.remove(ref, { gracePeriodSeconds: 20 });
    store.remove(ref, { gracePeriodSeconds: 40 });
    expect(grace()).toBe(20);
    store.remove(ref, { gracePeriodSeconds: 5 });
    expect(grace()).toBe(5);
    store.remove(ref, { gracePeriodSeconds: 0 });
    expect(store.find(ref)).toBeUndefined();
  });

  it('removes an object with the write that takes its last finalizer away', () => {
    const { store, seen } = storeWithLog();
    const claim = { resource: 'configmaps', name: 'c' };
    store.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', finalizers: ['a/a', 'b/b'] },
    });
    store.remove(claim);
    const finalizers = (left: string[]) =>
      store.modify(claim, (draft) => Object.assign(draft.metadata, { finalizers: left }));
    finalizers(['b/b']);
    expect(store.find(claim)?.metadata.finalizers).toEqual(['b/b']);
    const last = finalizers([]);
    expect(store.find(claim)).toBeUndefined();
    expect(seen()).toEqual(['ADDED c', 'MODIFIED c', 'MODIFIED c', 'DELETED c']);
    expect(Number(last.metadata.resourceVersion)).toBe(store.resourceVersion);
  });

  it('keeps a pod whose finalizer goes while its grace period runs', () => {
    const { store } = storeWithLog();
    store.create('pods', { ...podNamed('web'), metadata: { name: 'web', finalizers: ['x/y'] } });
    store.remove(ref);
    store.modify(ref, (draft) => Object.assign(draft.metadata, { finalizers: [] }));
    expect(store.find(ref)).toBeDefined();
    store.remove(ref, { gracePeriodSeconds: 0 });
    expect(store.find(ref)).toBeUndefined();
  });

  it('checks the preconditions', () => {
    const { store } = storeWithLog();
    const { uid, resourceVersion } = store.create('pods', podNamed('web')).metadata;
    expect(codeOf(() => store.remove(ref, { uid: 'another' }))).toBe(409);
    expect(codeOf(() => store.remove(ref, { uid, resourceVersion: '1' }))).toBe(409);
    store.remove(ref, { uid, resourceVersion, gracePeriodSeconds: 0 });
    expect(codeOf(() => store.remove(ref, { uid }))).toBe(404);
  });
});
