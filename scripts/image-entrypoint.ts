// How the image starts its program, read from deploy/Dockerfile: the one place that says it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface ImageEntrypoint {
  /** Paths are absolute, inside the image. */
  readonly node: string;
  readonly nodeFlags: readonly string[];
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where Node finds what it compiled of the program before. */
  readonly compiledDirectory: string;
}

const valuesOf = (instruction: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].flatMap(([, value]) => value ?? []);

export const parseImageEntrypoint = (dockerfile: string): ImageEntrypoint => {
  const command: readonly string[] = JSON.parse(valuesOf('ENTRYPOINT', dockerfile)[0] ?? '[]');
  const env = Object.fromEntries(
    valuesOf('ENV', dockerfile).map((pair) => [pair.replace(/=.*$/, ''), pair.replace(/^\w+=/, '')]),
  );
  const [node, program, compiledDirectory] = [command.at(0), command.at(-1), env['NODE_COMPILE_CACHE']];
  if (node === undefined || program === undefined || compiledDirectory === undefined) {
    throw new Error('the Dockerfile lacks ENTRYPOINT ["node", …, "program"] or ENV NODE_COMPILE_CACHE=…');
  }
  return { node, nodeFlags: command.slice(1, -1), program, env, compiledDirectory };
};

export const readImageEntrypoint = (): ImageEntrypoint =>
  parseImageEntrypoint(readFileSync(resolve(import.meta.dirname, '../deploy/Dockerfile'), 'utf8'));
