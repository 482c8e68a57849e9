// Reads what a TypeScript file imports. A scanner rather than a regular expression: comments, texts, templates and regular
// expressions are skipped as the language skips them. It knows as much of the language as that takes, and no more.

interface Token {
  readonly kind: 'word' | 'text' | 'mark';
  readonly value: string;
}

export interface Import {
  readonly specifier: string;
  /** What stands between `import` and `from`: names and marks, without `type`. */
  readonly names: readonly string[];
}

const SKIPPED = /\s+|\/\/[^\n]*|\/\*.*?\*\//sy;
const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*|\d[\w.]*/uy;
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/sy;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)/sy;

/** After these a slash divides; after anything else it begins a regular expression. */
const endsValue = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'text' ||
    [')', ']', '}'].includes(token.value) ||
    (token.kind === 'word' && !['return', 'typeof', 'case', 'of', 'in', 'await', 'yield'].includes(token.value)));

const tokensOf = (code: string): Token[] => {
  const tokens: Token[] = [];
  /** For each template that is open: how many braces are open within its present `${`. */
  const templates: number[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(code);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const readTemplate = (): void => {
    if (match(TEMPLATE_PART)?.[1] === '${') templates.push(0);
    else tokens.push({ kind: 'text', value: '' });
  };
  while (at < code.length) {
    if (match(SKIPPED)) continue;
    const text = match(TEXT)?.[0] ?? (endsValue(tokens.at(-1)) ? undefined : match(REGEX)?.[0]);
    const word = text === undefined ? match(WORD)?.[0] : undefined;
    if (text !== undefined) tokens.push({ kind: 'text', value: text.slice(1, -1) });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
    else {
      const value = code[at] ?? '';
      at += 1;
      const depth = templates.pop();
      if (value === '`') readTemplateIn(depth);
      else if (value === '}' && depth === 0) readTemplate();
      else {
        if (depth !== undefined) templates.push(depth + (value === '{' ? 1 : value === '}' ? -1 : 0));
        tokens.push({ kind: 'mark', value });
      }
    }
  }
  return tokens;

  function readTemplateIn(depth: number | undefined): void {
    if (depth !== undefined) templates.push(depth);
    readTemplate();
  }
};

export const importsIn = (code: string): Import[] => {
  const tokens = tokensOf(code);
  return tokens.flatMap((token, index): Import[] => {
    const isStatement = token.kind === 'word' && tokens[index - 1]?.value !== '.';
    if (!isStatement || (token.value !== 'import' && token.value !== 'export')) return [];
    const rest = tokens.slice(index + 1, index + 400);
    const [first, second] = rest;
    if (token.value === 'import' && first?.kind === 'text') return [{ specifier: first.value, names: [] }];
    if (first?.value === '(') return second?.kind === 'text' ? [{ specifier: second.value, names: [] }] : [];
    // A clause is made of names, braces, commas and stars alone: anything else is another statement.
    const end = rest.findIndex(({ kind, value }) => kind === 'text' || (kind === 'mark' && !'{},*'.includes(value)));
    const clause = rest.slice(0, Math.max(0, end));
    const isExportFrom = token.value === 'import' || ['{', '*', 'type'].includes(first?.value ?? '');
    if (rest[end]?.kind !== 'text' || clause.at(-1)?.value !== 'from' || !isExportFrom) return [];
    const names = clause
      .slice(0, -1)
      .flatMap(({ kind, value }) => (kind === 'word' && value !== 'type' ? [value] : []));
    return [{ specifier: rest[end]?.value ?? '', names }];
  });
};
