// Tables that fit a page. The widest columns give way first; what is cut ends in "…", and `-o wide` shows it whole.
import { wrap } from '../../model/wrap-text.ts';
import type { Paint } from './style.ts';

/** No line is longer, whatever the terminal: tables are pasted into chats and tickets. */
export const PAGE_WIDTH = 100;

export type Cell = string | { readonly text: string; readonly look: Paint };

export interface Row {
  readonly cells: readonly Cell[];
  /** Explanations below the row, wrapped, never cut. */
  readonly notes?: readonly string[];
  readonly noteLook?: Paint;
}

export interface TableOptions {
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
  /** Infinity for `-o wide`. */
  readonly width?: number;
}

const GAP = '  ';
const NOTE_INDENT = '    ';
/** Below this a column says nothing any more. */
const MIN_COLUMN = 6;

export const renderTable = ({ heads, rows, width = PAGE_WIDTH }: TableOptions): string => {
  const texts = rows.map(({ cells }) => cells.map(textOf));
  const natural = heads.map((head, column) =>
    texts.reduce((most, cells) => Math.max(most, cells[column]?.length ?? 0), head.length),
  );
  const widths = narrow(natural, heads, width);
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, column) => renderCell(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  return [line(heads), ...rows.flatMap((row) => [line(row.cells), ...renderNotes(row)])].join('\n');
};

const narrow = (natural: readonly number[], heads: readonly string[], width: number): readonly number[] => {
  const widths = [...natural];
  const least = heads.map((head) => Math.max(head.length, MIN_COLUMN));
  const total = () => widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  while (total() > width) {
    const widest = widths.reduce((best, each, column) => {
      if (each <= (least[column] ?? 0)) return best;
      return best === -1 || each > (widths[best] ?? 0) ? column : best;
    }, -1);
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

const renderCell = (cell: Cell, width: number): string => {
  const shown = cut(textOf(cell), width);
  const padding = ' '.repeat(Math.max(0, width - shown.length));
  return `${typeof cell === 'string' ? shown : cell.look(shown)}${padding}`;
};

const renderNotes = ({ notes = [], noteLook = (text: string) => text }: Row): string[] =>
  notes.flatMap((note) => wrap(note, PAGE_WIDTH - NOTE_INDENT.length)).map((text) => `${NOTE_INDENT}${noteLook(text)}`);

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
