import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const codeOf = (act: () => unknown): number => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 200;
};

describe('merge patch (the examples of RFC 7386)', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j + %j = %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it('shares what it does not touch and changes nothing in place', () => {
    const target = Object.freeze({ kept: Object.freeze({ a: 1 }), changed: Object.freeze({ b: 1 }) });
    const result = applyMergePatch(target, { changed: { b: 2 } });
    expect(result).toEqual({ kept: { a: 1 }, changed: { b: 2 } });
    expect(Reflect.get(Object(result), 'kept')).toBe(target.kept);
  });
});

describe('JSON patch', () => {
  const target = { metadata: { annotations: { 'a/b': '1', 'c~d': '2' } }, list: [1, 2] };
  it.each([
    ['adds', [{ op: 'add', path: '/metadata/annotations/x', value: 'y' }], { 'a/b': '1', 'c~d': '2', x: 'y' }],
    [
      'replaces an escaped key',
      [{ op: 'replace', path: '/metadata/annotations/a~1b', value: '9' }],
      { 'a/b': '9', 'c~d': '2' },
    ],
    ['removes an escaped key', [{ op: 'remove', path: '/metadata/annotations/c~0d' }], { 'a/b': '1' }],
    ['tests what holds', [{ op: 'test', path: '/metadata/annotations/a~1b', value: '1' }], { 'a/b': '1', 'c~d': '2' }],
    [
      'takes a missing key for null',
      [{ op: 'test', path: '/metadata/annotations/x', value: null }],
      { 'a/b': '1', 'c~d': '2' },
    ],
    [
      'moves',
      [{ op: 'move', from: '/metadata/annotations/a~1b', path: '/metadata/annotations/m' }],
      { 'c~d': '2', m: '1' },
    ],
    [
      'copies',
      [{ op: 'copy', from: '/metadata/annotations/a~1b', path: '/metadata/annotations/m' }],
      { 'a/b': '1', 'c~d': '2', m: '1' },
    ],
  ])('%s', (_name, patch, annotations) => {
    expect(applyJsonPatch(target, patch)).toEqual({ ...target, metadata: { annotations } });
  });

  it('inserts into and appends to lists', () => {
    const patch = [
      { op: 'add', path: '/list/0', value: 0 },
      { op: 'add', path: '/list/-', value: 3 },
    ];
    expect(applyJsonPatch(target, patch)).toMatchObject({ list: [0, 1, 2, 3] });
    expect(target.list).toEqual([1, 2]);
  });

  it.each([
    ['a test that fails', [{ op: 'test', path: '/metadata/annotations/a~1b', value: '2' }], 422],
    ['a test below what is missing', [{ op: 'test', path: '/metadata/labels/x', value: null }], 422],
    ['an add below what is missing', [{ op: 'add', path: '/metadata/labels/x', value: 'y' }], 422],
    ['a remove of what is missing', [{ op: 'remove', path: '/metadata/annotations/x' }], 422],
    ['a replace of what is missing', [{ op: 'replace', path: '/metadata/annotations/x', value: 'y' }], 422],
    ['an index beyond the list', [{ op: 'add', path: '/list/9', value: 1 }], 422],
    ['a move from nowhere', [{ op: 'move', from: '/nowhere', path: '/x' }], 422],
    ['an unknown operation', [{ op: 'frob', path: '/x' }], 422],
    ['a path without a slash', [{ op: 'add', path: 'x', value: 1 }], 422],
    ['no list at all', { op: 'add', path: '/x', value: 1 }, 400],
  ])('refuses %s', (_name, patch, code) => {
    expect(codeOf(() => applyJsonPatch(target, patch))).toBe(code);
  });
});

describe('strategic merge patch of pods', () => {
  const apply = (target: unknown, patch: unknown) => applyStrategicMergePatch('pods', target, patch);
  const conditions = (...types: [string, string][]) => ({
    status: { conditions: types.map(([type, status]) => ({ type, status })) },
  });
  it.each([
    [
      'merges conditions by type',
      conditions(['Ready', 'True']),
      conditions(['Mine', 'False']),
      conditions(['Ready', 'True'], ['Mine', 'False']),
    ],
    [
      'changes one condition',
      conditions(['A', '1'], ['B', '2']),
      conditions(['A', '3']),
      conditions(['A', '3'], ['B', '2']),
    ],
    [
      'keeps the other fields of a merged element',
      { spec: { containers: [{ name: 'main', image: 'a', env: [{ name: 'X', value: '1' }] }] } },
      { spec: { containers: [{ name: 'main', image: 'b', env: [{ name: 'Y', value: '2' }] }] } },
      {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'b',
              env: [
                { name: 'X', value: '1' },
                { name: 'Y', value: '2' },
              ],
            },
          ],
        },
      },
    ],
    [
      'deletes an element by its key',
      conditions(['A', '1'], ['B', '2']),
      { status: { conditions: [{ $patch: 'delete', type: 'A' }] } },
      conditions(['B', '2']),
    ],
    [
      'replaces a whole list',
      conditions(['A', '1'], ['B', '2']),
      { status: { conditions: [{ type: 'C', status: '3' }, { $patch: 'replace' }] } },
      conditions(['C', '3']),
    ],
    [
      'replaces a map',
      { metadata: { labels: { a: 'b' } } },
      { metadata: { labels: { $patch: 'replace', c: 'd' } } },
      { metadata: { labels: { c: 'd' } } },
    ],
    [
      'deletes a key with null',
      { metadata: { labels: { a: 'b', c: 'd' } } },
      { metadata: { labels: { a: null } } },
      { metadata: { labels: { c: 'd' } } },
    ],
    [
      'adds finalizers to the set',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['a', 'b'] } },
    ],
    [
      'takes finalizers out of the set',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'merges owners by uid',
      { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } },
      { metadata: { ownerReferences: [{ uid: '2', name: 'b' }] } },
      {
        metadata: {
          ownerReferences: [
            { uid: '1', name: 'a' },
            { uid: '2', name: 'b' },
          ],
        },
      },
    ],
    [
      'replaces tolerations, which have no key',
      { spec: { tolerations: [{ key: 'a' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
    ],
    [
      'orders elements as told',
      conditions(['A', '1'], ['B', '2']),
      { status: { '$setElementOrder/conditions': [{ type: 'B' }, { type: 'A' }] } },
      conditions(['B', '2'], ['A', '1']),
    ],
    [
      'leaves no directive behind in what is new',
      {},
      { status: { conditions: [{ type: 'A', $retainKeys: ['type'] }] } },
      { status: { conditions: [{ type: 'A' }] } },
    ],
  ])('%s', (_name, target, patch, expected) => {
    expect(apply(target, patch)).toEqual(expected);
  });

  it('refuses an element without its merge key', () => {
    expect(codeOf(() => apply({}, { status: { conditions: [{ status: 'True' }] } }))).toBe(400);
  });
});

describe('hostile patches', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  it.each([
    ['merge', () => applyMergePatch({ a: {} }, hostile)],
    ['strategic', () => applyStrategicMergePatch('pods', { a: {} }, hostile)],
    ['JSON, value', () => applyJsonPatch({}, [{ op: 'add', path: '/a', value: hostile }])],
  ])('%s patch does not reach a prototype', (_name, patch) => {
    const result = patch();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object(result), 'polluted')).toBeUndefined();
    expect(Reflect.get(Object(Reflect.get(Object(result), 'a')), 'polluted')).toBeUndefined();
  });

  it.each([
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/constructor/polluted',
    '/a/__proto__/polluted',
    '/toString/x',
  ])('a JSON patch at %s is refused', (path) => {
    expect(codeOf(() => applyJsonPatch({ a: {} }, [{ op: 'add', path, value: 1 }]))).toBe(422);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object, 'polluted')).toBeUndefined();
  });

  it.each(['/constructor', '/hasOwnProperty', '/__proto__'])('a JSON patch from %s is refused', (from) => {
    expect(codeOf(() => applyJsonPatch({}, [{ op: 'copy', from, path: '/x' }]))).toBe(422);
    expect(codeOf(() => applyJsonPatch({}, [{ op: 'move', from, path: '/x' }]))).toBe(422);
  });
});
