import { describe, expect, it } from 'vitest';
import { annotationEdits, guardedPatch } from './object-patch.ts';

const object = { namespace: 'ns', name: 'a', uid: 'u', resourceVersion: '5', isDeleting: false, hasAnnotations: true };
const uid = { op: 'test', path: '/metadata/uid', value: 'u' };
const version = { op: 'test', path: '/metadata/resourceVersion', value: '5' };

describe('a guarded patch', () => {
  it('tests what it replaces', () => {
    expect(guardedPatch(object, [{ path: '/spec/networks', before: [1], after: [1, 2] }])).toEqual([
      uid,
      { op: 'test', path: '/spec/networks', value: [1] },
      { op: 'add', path: '/spec/networks', value: [1, 2] },
    ]);
  });

  it('insists on the very object where there is nothing to test', () => {
    expect(guardedPatch(object, [{ path: '/status/interfaces', before: undefined, after: [] }])).toEqual([
      uid,
      version,
      { op: 'add', path: '/status/interfaces', value: [] },
    ]);
  });

  it('takes away', () => {
    expect(guardedPatch(object, annotationEdits(object, [{ key: 'a/b~c', before: 'x', after: undefined }]))).toEqual([
      uid,
      { op: 'test', path: '/metadata/annotations/a~1b~0c', value: 'x' },
      { op: 'remove', path: '/metadata/annotations/a~1b~0c' },
    ]);
  });

  it('makes the map of annotations where there is none, and changes nothing that stays', () => {
    const changes = [
      { key: 'a', before: undefined, after: '1' },
      { key: 'b', before: '2', after: '2' },
    ];
    expect(guardedPatch(object, annotationEdits({ ...object, hasAnnotations: false }, changes))).toEqual([
      uid,
      version,
      { op: 'add', path: '/metadata/annotations', value: { a: '1' } },
    ]);
    expect(annotationEdits(object, changes.slice(1))).toEqual([]);
  });
});
