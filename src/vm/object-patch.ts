// JSON patches that apply only to the state that a decision was based on.
import { annotationPointer } from '../model/annotation-pointer.ts';
import type { ObjectHeader } from './object-header.ts';

export type PatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export interface Edit {
  readonly path: string;
  /** Undefined when there is nothing at the path. */
  readonly before: unknown;
  /** Undefined to take it away. */
  readonly after: unknown;
}

/** What is not there cannot be tested, so then the whole object has to be as it was read. */
export const guardedPatch = (object: ObjectHeader, edits: readonly Edit[]): readonly PatchOperation[] => [
  { op: 'test', path: '/metadata/uid', value: object.uid },
  ...(edits.some(({ before }) => before === undefined)
    ? [{ op: 'test' as const, path: '/metadata/resourceVersion', value: object.resourceVersion }]
    : []),
  ...edits.flatMap(operationsOf),
];

const operationsOf = ({ path, before, after }: Edit): readonly PatchOperation[] => [
  ...(before === undefined ? [] : [{ op: 'test' as const, path, value: before }]),
  ...(after === undefined
    ? before === undefined
      ? []
      : [{ op: 'remove' as const, path }]
    : [{ op: 'add' as const, path, value: after }]),
];

export interface AnnotationEdit {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Keys whose value stays are left out. */
export const annotationEdits = (object: ObjectHeader, changes: readonly AnnotationEdit[]): readonly Edit[] => {
  const changed = changes.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return [];
  if (!object.hasAnnotations) {
    const after = Object.fromEntries(changed.map(({ key, after: value }) => [key, value]));
    return [{ path: '/metadata/annotations', before: undefined, after }];
  }
  return changed.map(({ key, before, after }) => ({ path: annotationPointer(key), before, after }));
};
