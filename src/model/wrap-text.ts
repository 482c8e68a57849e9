// Lines of at most so many characters, for people who read them in a terminal.

/** Breaks at spaces where it can, and inside a word that is longer than a line where it must. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((each) => chunks(each, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
};

/** Pieces of at most this length; nothing is added or lost. */
export const chunks = (text: string, width: number): string[] =>
  text === '' ? [''] : (text.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []);
