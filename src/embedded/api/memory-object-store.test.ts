import { describe, expect, it } from 'vitest';
import { MemoryObjectStore } from './memory-object-store.ts';
import { podNamed } from './test-client.ts';
import { codeOf, storeWithLog } from './test-store.ts';

const ref = { resource: 'pods', namespace: 'default', name: 'web' };

describe('creating', () => {
  it('fills in the metadata of the server and keeps a status given in process', () => {
    const { store } = storeWithLog();
    const pod = store.create('pods', podNamed('web'));
    expect(pod.metadata).toMatchObject({
      name: 'web',
      namespace: 'default',
      creationTimestamp: '2030-01-02T03:04:05Z',
    });
    expect(pod.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(pod.metadata.resourceVersion)).toBe(store.resourceVersion);
    expect(pod.status).toEqual({ phase: 'Running' });
  });

  it('makes a name from generateName, and another one the next time', () => {
    const { store } = storeWithLog();
    const make = () => store.create('events', { apiVersion: 'v1', kind: 'Event', metadata: { generateName: 'web.' } });
    const [first, second] = [make(), make()];
    expect(first.metadata.name).toMatch(/^web\.[a-z0-9]{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
  });

  it('refuses a second object of the same name, but not in another namespace', () => {
    const { store } = storeWithLog();
    store.create('pods', podNamed('web'));
    expect(codeOf(() => store.create('pods', podNamed('web')))).toBe(409);
    const other = podNamed('web');
    other.metadata.namespace = 'other';
    expect(store.create('pods', other).metadata.namespace).toBe('other');
  });

  it('neither freezes nor keeps hold of what it is given', () => {
    const { store } = storeWithLog();
    const given = podNamed('web');
    store.create('pods', given);
    given.spec.nodeName = 'elsewhere';
    expect(store.get(ref).spec?.['nodeName']).toBe('node-a');
  });

  it('hands out objects that cannot be changed and do not change', () => {
    const { store } = storeWithLog();
    const before = store.create('pods', podNamed('web'));
    store.modify(ref, (draft) => {
      draft.spec = { ...draft.spec, nodeName: 'node-b' };
    });
    expect(before.spec?.['nodeName']).toBe('node-a');
    expect(() => Object.assign(before.metadata, { name: 'x' })).toThrow(TypeError);
  });
});

describe('changing', () => {
  it('gives every change a higher version across all resources', () => {
    const { store } = storeWithLog();
    const versions = [
      store.create('pods', podNamed('web')),
      store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } }),
      store.modify(ref, (draft) => {
        draft.metadata.labels = { a: 'b' };
      }),
    ].map((object) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  it('takes a write that changes nothing for no write', () => {
    const { store, seen } = storeWithLog();
    const before = store.create('pods', podNamed('web'));
    const after = store.modify(ref, (draft) => {
      draft.metadata.annotations = {};
      draft.status = { phase: 'Running' };
    });
    expect(after).toBe(before);
    expect(seen()).toEqual(['ADDED web']);
  });

  it('keeps uid, name and deletionTimestamp whatever the draft says', () => {
    const { store } = storeWithLog();
    const { metadata } = store.create('pods', podNamed('web'));
    store.remove(ref);
    const after = store.modify(ref, (draft) => {
      draft.metadata.uid = 'mine';
      draft.metadata.name = 'other';
      delete draft.metadata.deletionTimestamp;
      draft.metadata.labels = { still: 'editable' };
    });
    expect(after.metadata).toMatchObject({ uid: metadata.uid, name: 'web', labels: { still: 'editable' } });
    expect(after.metadata.deletionTimestamp).toBe('2030-01-02T03:04:35Z');
  });

  it('drops emptied maps and lists of the metadata, as Go does', () => {
    const { store } = storeWithLog();
    store.create('pods', { ...podNamed('web'), metadata: { name: 'web', annotations: { a: 'b' } } });
    const after = store.modify(ref, (draft) => {
      delete draft.metadata.annotations?.['a'];
    });
    expect(after.metadata).not.toHaveProperty('annotations');
  });

  it('counts the generation of a spec, not of metadata or status', () => {
    const { store } = storeWithLog();
    store.create('pods', podNamed('web'));
    const generation = (change: Parameters<typeof store.modify>[1]) => store.modify(ref, change).metadata.generation;
    expect(generation((draft) => Object.assign(draft, { status: { phase: 'Failed' } }))).toBe(1);
    expect(generation((draft) => Object.assign(draft.metadata, { labels: { a: 'b' } }))).toBe(1);
    expect(generation((draft) => Object.assign(draft, { spec: {} }))).toBe(2);
  });

  it('says not found for what is not there', () => {
    expect(codeOf(() => storeWithLog().store.modify(ref, () => undefined))).toBe(404);
  });
});

describe('telling', () => {
  it('tells every listener every change in order, also when a listener writes', () => {
    const store = new MemoryObjectStore();
    const seen: string[] = [];
    store.subscribe(({ type, object }) => {
      if (type === 'ADDED')
        store.modify({ resource: 'pods', name: object.metadata.name }, (draft) => Object.assign(draft, { status: {} }));
    });
    const end = store.subscribe(({ type }) => seen.push(type));
    store.create('pods', podNamed('web'));
    end();
    store.remove(ref, { gracePeriodSeconds: 0 });
    expect(seen).toEqual(['ADDED', 'MODIFIED']);
  });

  it('carries the object before the change', () => {
    const { store, changes } = storeWithLog();
    const first = store.create('pods', podNamed('web'));
    store.remove(ref, { gracePeriodSeconds: 0 });
    expect(changes.map(({ previous }) => previous)).toEqual([undefined, first]);
  });
});

describe('history', () => {
  const annotate = (store: MemoryObjectStore, value: number) =>
    store.modify(ref, (draft) => Object.assign(draft.metadata, { annotations: { n: String(value) } }));

  it('replays what is known and says when it is not', () => {
    const { store } = storeWithLog(3);
    const created = Number(store.create('pods', podNamed('web')).metadata.resourceVersion);
    for (let n = 1; n <= 3; n += 1) annotate(store, n);
    expect(store.changesSince('pods', created).map(({ object }) => object.metadata.annotations?.['n'])).toEqual([
      '1',
      '2',
      '3',
    ]);
    for (let n = 4; n <= 20; n += 1) annotate(store, n);
    expect(codeOf(() => store.changesSince('pods', created))).toBe(410);
    expect(store.changesSince('pods', store.resourceVersion - 3)).toHaveLength(3);
    expect(codeOf(() => store.changesSince('pods', store.resourceVersion - 4))).toBe(410);
  });

  it('shows an earlier state of a list: created, changed and deleted objects undone', () => {
    const { store } = storeWithLog();
    for (const name of ['a', 'b', 'c']) store.create('pods', podNamed(name));
    const then = store.resourceVersion;
    store.create('pods', podNamed('aa'));
    store.remove({ resource: 'pods', name: 'b' }, { gracePeriodSeconds: 0 });
    store.modify({ resource: 'pods', name: 'c' }, (draft) => Object.assign(draft, { status: { phase: 'Failed' } }));
    expect(store.list('pods').map(({ metadata }) => metadata.name)).toEqual(['a', 'aa', 'c']);
    const past = store.listAt('pods', 'default', then);
    expect(past.map(({ metadata, status }) => `${metadata.name} ${status?.['phase']}`)).toEqual([
      'a Running',
      'b Running',
      'c Running',
    ]);
  });

  it('forgets on demand, even for a client that is up to date', () => {
    const { store } = storeWithLog();
    const { resourceVersion } = store.create('pods', podNamed('web')).metadata;
    store.expireHistory();
    expect(codeOf(() => store.changesSince('pods', Number(resourceVersion)))).toBe(410);
    expect(store.changesSince('pods', store.resourceVersion)).toEqual([]);
  });
});
