// Words of a command line, as a shell splits them: at spaces, but for what quotes hold together.

/** Undefined when a quote is never closed. */
export const splitWords = (line: string): string[] | undefined => {
  const words: string[] = [];
  for (let rest = line.trim(); rest !== ''; ) {
    const word = /^(?:'[^']*'|"[^"]*"|[^\s'"])+/.exec(rest)?.[0];
    if (word === undefined) return undefined;
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
    rest = rest.slice(word.length);
    if (rest !== '' && !/^\s/.test(rest)) return undefined;
    rest = rest.trimStart();
  }
  return words;
};
