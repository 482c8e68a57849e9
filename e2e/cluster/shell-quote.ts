/** One word of a shell's command line, whatever is in it. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
