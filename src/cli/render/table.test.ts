import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTable } from './table.ts';

describe('a table', () => {
  it('aligns its columns and leaves no space at the end of a line', () => {
    const rows = [{ cells: ['web', 'yes'] }, { cells: ['a-longer-name', 'no'], notes: ['because'] }];
    expect(renderTable({ heads: ['POD', 'READY'], rows })).toBe(
      ['POD            READY', 'web            yes', 'a-longer-name  no', '    because'].join('\n'),
    );
  });

  it('pads by what is seen, not by what colours add', () => {
    const look = (text: string) => `<${text}>`;
    const rows = [{ cells: [{ text: 'no', look }, 'x'] }];
    expect(renderTable({ heads: ['READY', 'NODE'], rows })).toBe('READY  NODE\n<no>     x');
  });

  it('takes from the widest columns first, and shows all of it when there is room', () => {
    const rows = [{ cells: ['short', 'x'.repeat(200)] }];
    const lines = renderTable({ heads: ['A', 'B'], rows }).split('\n');
    expect(lines[1]).toBe(`short  ${'x'.repeat(92)}…`);
    expect(renderTable({ heads: ['A', 'B'], rows, width: Number.POSITIVE_INFINITY })).toContain('x'.repeat(200));
  });

  it('never is wider than a page, whatever is in it', () => {
    const cell = fc.string({ maxLength: 120, size: 'max', unit: 'grapheme-ascii' });
    const table = fc.array(
      fc.record({ cells: fc.array(cell, { minLength: 8, maxLength: 8 }), notes: fc.array(cell) }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(table, (rows) => {
        const heads = ['NAMESPACE', 'POD', 'INTERFACE', 'NETWORK', 'DESIRED', 'READY', 'SINCE', 'NODE'];
        for (const line of renderTable({ heads, rows }).split('\n')) expect(line.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
