// The part of the demo's output that README.md shows, and what of it differs from run to run.

const STEPS = ['2/8', '6/8', '7/8'];

/** Some steps, and the last words. */
export const excerptOf = (output: string): string => {
  const parts = output.trim().split(/\n\n(?=── |✓ )/);
  const chosen = parts.filter((part) => STEPS.some((step) => part.startsWith(`── ${step} `)) || part.startsWith('✓ '));
  return chosen.map(withoutRule).join('\n\n');
};

/** A title needs no line across a page that has none. */
const withoutRule = (part: string): string => part.replace(/^(── .*?) ─+$/m, '$1 ──');

/** Times, ages and process ids are different each time; so is where a line that holds them ends. */
export const normalise = (text: string): string =>
  text
    .replace(/\b\d+(\.\d+)? ?(ms|s)\b/g, 'TIME')
    .replace(/(kill -9|process) \d+/g, '$1 PID')
    .replace(/\s+/g, ' ')
    .trim();

const MARKS = ['<!-- transcript: npm run transcript -->\n```\n', '\n```\n<!-- end of transcript -->'] as const;

export const transcriptIn = (page: string): string => {
  const [start, end] = MARKS.map((mark) => page.indexOf(mark));
  if (start === undefined || end === undefined || start < 0 || end < start) throw new Error('no marks of a transcript');
  return page.slice(start + MARKS[0].length, end);
};

export const withTranscript = (page: string, transcript: string): string => {
  const old = transcriptIn(page);
  return page.replace(`${MARKS[0]}${old}${MARKS[1]}`, () => `${MARKS[0]}${transcript}${MARKS[1]}`);
};
