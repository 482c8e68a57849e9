import { describe, expect, it } from 'vitest';
import { colourful, formatMs, hanging, PAGE_WIDTH, plain, styleFor } from './style.ts';

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

it('hanging puts the following lines below the text of the first, within the page', () => {
  const lines = hanging('  event ', 'word '.repeat(60).trim());
  expect(lines.length).toBeGreaterThan(2);
  expect(lines[0]).toMatch(/^ {2}event word/);
  expect(lines[1]).toMatch(/^ {8}word/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(PAGE_WIDTH);
});

it('formatMs changes its unit at a second', () => {
  expect([formatMs(3.4), formatMs(999.2), formatMs(1540)]).toEqual(['3 ms', '999 ms', '1.5 s']);
});
