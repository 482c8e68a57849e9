// A command's answer in the format that was asked for: programs get the data, people get the table.
import type { Session } from '../session.ts';
import { renderStructured } from './structured.ts';
import { PAGE_WIDTH } from './table.ts';

export interface Answer {
  readonly kind: string;
  readonly content: object;
  /** `width` is what a table may take; Infinity with `-o wide`. */
  readonly table: (width: number) => string;
}

export const printAnswer = ({ output, terminal }: Session, { kind, content, table }: Answer): void => {
  if (output === 'json' || output === 'yaml') terminal.print(renderStructured(output, kind, content));
  else terminal.print(table(output === 'wide' ? Number.POSITIVE_INFINITY : PAGE_WIDTH));
};
