// Commands that the documentation tells people to type, as it tells them.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export const pages: readonly string[] = globSync(
  ['*.md', 'docs/**/*.md', 'e2e/README.md', 'e2e/cluster/README.md', 'deploy/**/*.md'],
  { cwd: root },
).toSorted();

export interface DocumentedCommand {
  readonly page: string;
  /** One command, without its comment; a here-document and continued lines are parts of it. */
  readonly command: string;
  /** In a block, ready to be pasted; else within a sentence. */
  readonly isBlock: boolean;
  /** From the comment "exits with 1". */
  readonly exits: number;
}

/** What a sentence in the documentation calls a command, and not a name or a path. */
const INLINE = /^(?:[A-Z_]+=\S+ )*(?:kubectl|npm|npx|helm|docker|ctr|rm|\.ci\/run|scripts\/[\w-]+\.sh|node)(?: |$)/;
/** Names of programs and beginnings of commands. */
const ONLY_A_NAME = /^(?:kubectl(?: dnet(?: …)?| apply -k)?|helm(?: \w+)?|docker(?: exec)?|node|npm)$/;

export const commandsOf = (page: string): DocumentedCommand[] => {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [
    ...blocks.flatMap(splitBlock).map((line) => ({ page, isBlock: true, ...withoutComment(line) })),
    ...inline
      .filter((code) => INLINE.test(code) && !ONLY_A_NAME.test(code))
      .map((command) => ({ page, command, isBlock: false, exits: 0 })),
  ];
};

const splitBlock = (block: string): string[] =>
  [...block.matchAll(/^\S.*<<'(\w+)'\n[\s\S]*?^\1$|^\S(?:.*\\\n)*.*$/gm)].map(([line]) => line);

const withoutComment = (line: string): { command: string; exits: number } => {
  const [, command = line, comment = ''] = /^(.*?)\s+# (.*)$/.exec(line) ?? [];
  return { command: command.trim(), exits: Number(/exits with (\d)/.exec(comment)?.[1] ?? 0) };
};

export const allCommands = (): DocumentedCommand[] => pages.flatMap(commandsOf);
