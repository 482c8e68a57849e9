import { describe, expect, it } from 'vitest';
import { chunks, colourful, formatMs, hanging, PAGE_WIDTH, plain, styleFor, wrap } from './style.ts';

describe('styleFor', () => {
  const terminal = { isTTY: true, hasColors: () => true };
  it.each([
    ['a terminal with colours', terminal, {}, colourful],
    ['a terminal, but NO_COLOR is set', terminal, { NO_COLOR: '1' }, plain],
    ['a terminal, NO_COLOR is empty', terminal, { NO_COLOR: '' }, colourful],
    ['a terminal without colours', { isTTY: true, hasColors: () => false }, {}, plain],
    ['a pipe', {}, { FORCE_COLOR: '1' }, plain],
  ])('%s', (_, screen, env, expected) => {
    expect(styleFor(screen, env)).toBe(expected);
  });

  it('paints, and plain does not', () => {
    expect(colourful.good('yes')).toBe('\u001b[32myes\u001b[39m');
    expect(plain.good('yes')).toBe('yes');
  });
});

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

it('hanging puts the following lines below the text of the first, within the page', () => {
  const lines = hanging('  event ', 'word '.repeat(60).trim());
  expect(lines.length).toBeGreaterThan(2);
  expect(lines[0]).toMatch(/^ {2}event word/);
  expect(lines[1]).toMatch(/^ {8}word/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(PAGE_WIDTH);
});

it('chunks keeps every character, also line breaks', () => {
  expect(chunks('ab\ncd', 2).join('')).toBe('ab\ncd');
  expect(chunks('', 5)).toEqual(['']);
});

it('formatMs changes its unit at a second', () => {
  expect([formatMs(3.4), formatMs(999.2), formatMs(1540)]).toEqual(['3 ms', '999 ms', '1.5 s']);
});
