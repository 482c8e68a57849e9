import { expect, it } from 'vitest';
import { annotationPointer } from './annotation-pointer.ts';

it('escapes what a pointer has a meaning for, in that order', () => {
  expect(annotationPointer('a/b~c')).toBe('/metadata/annotations/a~1b~0c');
});
