// Where a command writes: results to standard output, everything else to standard error, so that a pipe gets results only.
import { type Style, styleFor } from './style.ts';

export interface Stream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Terminal {
  /** One or more whole lines of the result. */
  print(text: string): void;
  /** A line beside the result: notes, warnings, what to do next. */
  note(text: string): void;
  /** A line that is overwritten by the next, on a terminal only; '' clears it. */
  progress(text: string): void;
  readonly style: Style;
  readonly noteStyle: Style;
}

const CLEAR_LINE = '\r\u001b[K';
const MAX_PROGRESS = 99;

export const makeTerminal = (
  stdout: Stream,
  stderr: Stream,
  env: Readonly<Record<string, string | undefined>>,
): Terminal => {
  let hasProgress = false;
  const clear = () => {
    if (hasProgress) stderr.write(CLEAR_LINE);
    hasProgress = false;
  };
  return {
    style: styleFor(stdout, env),
    noteStyle: styleFor(stderr, env),
    print: (text) => {
      clear();
      stdout.write(`${text}\n`);
    },
    note: (text) => {
      clear();
      stderr.write(`${text}\n`);
    },
    progress: (text) => {
      clear();
      if (stderr.isTTY !== true || text === '') return;
      stderr.write(text.slice(0, MAX_PROGRESS));
      hasProgress = true;
    },
  };
};
