// How text looks: colours on a terminal that wants them, nothing but text elsewhere; and the helpers that keep every line
// within the page.
import { styleText } from 'node:util';
import { wrap } from '../../model/wrap-text.ts';

/** No line of the demo is longer, whatever the terminal. */
export const PAGE_WIDTH = 100;

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
  readonly accent: Paint;
}

const same: Paint = (text) => text;

export const plain: Style = { bold: same, dim: same, good: same, bad: same, notice: same, accent: same };

const paint =
  (...format: Parameters<typeof styleText>[0][]): Paint =>
  (text) =>
    format.reduce((painted, each) => styleText(each, painted, { validateStream: false }), text);

export const colourful: Style = {
  bold: paint('bold'),
  dim: paint('dim'),
  good: paint('green'),
  bad: paint('red'),
  notice: paint('yellow'),
  accent: paint('bold', 'cyan'),
};

export interface Screen {
  readonly isTTY?: boolean;
  readonly hasColors?: () => boolean;
}

export const styleFor = (screen: Screen, env: Readonly<Record<string, string | undefined>>): Style =>
  screen.isTTY === true && !env['NO_COLOR'] && screen.hasColors?.() === true ? colourful : plain;

/** First line after `lead`, the following ones below its text; only the text is painted. */
export const hanging = (lead: string, text: string, look: Paint = same): string[] =>
  wrap(text, PAGE_WIDTH - lead.length).map((line, index) => {
    const before = index === 0 ? lead : ' '.repeat(lead.length);
    return `${before}${look(line)}`;
  });

export const formatMs = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
