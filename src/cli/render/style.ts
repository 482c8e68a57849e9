// Colours on a terminal that wants them, nothing but text elsewhere.
import { styleText } from 'node:util';

export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
}

const same: Paint = (text) => text;

export const plain: Style = { bold: same, dim: same, good: same, bad: same, notice: same };

const paint =
  (format: Parameters<typeof styleText>[0]): Paint =>
  (text) =>
    styleText(format, text, { validateStream: false });

const colourful: Style = {
  bold: paint('bold'),
  dim: paint('dim'),
  good: paint('green'),
  bad: paint('red'),
  notice: paint('yellow'),
};

/** NO_COLOR counts when it is set to anything but nothing, as its convention says. */
export const styleFor = (
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Style => (stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colourful : plain);
