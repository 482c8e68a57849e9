import { describe, expect, it } from 'vitest';
import { chunks, wrap } from './wrap-text.ts';

describe('wrap', () => {
  it('breaks at spaces', () => {
    expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  });

  it('breaks a word that is longer than a line, and loses nothing of it', () => {
    expect(
      wrap(`see ${'x'.repeat(25)} here`, 10)
        .join('')
        .replaceAll(' ', ''),
    ).toBe(`see${'x'.repeat(25)}here`);
    expect(wrap('x'.repeat(25), 10).map(({ length }) => length)).toEqual([10, 10, 5]);
  });
});

it('chunks keeps every character, also line breaks', () => {
  expect(chunks('ab\ncd', 2).join('')).toBe('ab\ncd');
  expect(chunks('', 5)).toEqual(['']);
});
