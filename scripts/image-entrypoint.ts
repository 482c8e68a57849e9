// How the image starts Node, read from deploy/Dockerfile: the one place that says it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const dockerfile = resolve(import.meta.dirname, '../deploy/Dockerfile');

export interface ImageEntrypoint {
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const linesOf = (instruction: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].flatMap(([, rest]) => rest ?? []);

export const parseImageEntrypoint = (text: string): ImageEntrypoint => {
  const command: readonly string[] = JSON.parse(linesOf('ENTRYPOINT', text)[0] ?? '[]');
  if (command.length < 2) throw new Error('the Dockerfile has no ENTRYPOINT of the form ["node", flags, "program"]');
  const pairs = linesOf('ENV', text).map((pair): [string, string] => {
    const [name = '', ...value] = pair.split('=');
    return [name, value.join('=')];
  });
  return { nodeFlags: command.slice(1, -1), env: Object.fromEntries(pairs) };
};

export const readImageEntrypoint = (): ImageEntrypoint => parseImageEntrypoint(readFileSync(dockerfile, 'utf8'));
