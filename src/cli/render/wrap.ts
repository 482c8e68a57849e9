/** Breaks at spaces where it can, and inside a word that is longer than a line where it must. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((each) => pieces(each, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
};

const pieces = (word: string, width: number): string[] =>
  word.length <= width ? [word] : (word.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []);
