// Flags win over the environment, the environment over the file, the file over defaults. Everything is checked at once, and
// every error names the setting, where its value came from, the value, and what is allowed.
import { readFile } from 'node:fs/promises';
import { load as loadYaml } from 'js-yaml';
import { isJsonObject, quote } from '../model/json.ts';
import type { Fields, Settings } from './field.ts';

export interface SettingSources {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of a YAML or JSON file; named by the flag or environment variable `config`. */
  readonly file: string | undefined;
}

export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `the configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n  ${problems.join('\n  ')}`,
    );
    this.name = 'SettingsError';
  }
}

export const ENV_PREFIX = 'DYNAMIC_NETWORKS_';

export const flagName = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
export const envName = (field: string): string =>
  ENV_PREFIX + field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const loadSettings = async <F extends Fields>(fields: F, sources: SettingSources): Promise<Settings<F>> => {
  const problems: string[] = [];
  const file = sources.file === undefined ? {} : await readSettingsFile(sources.file, fields, problems);
  const entries = Object.entries(fields).map(([name, field]) => {
    const found = firstGiven([
      [`flag ${flagName(name)}`, sources.flags[name]],
      [`environment variable ${envName(name)}`, sources.env[envName(name)]],
      [`${name} in ${sources.file}`, file[name]],
      ['default', field.default],
    ]);
    if (found === undefined) {
      problems.push(
        `${name} must be given: ${field.description} (${field.allowed}); use ${flagName(name)} or ${envName(name)}`,
      );
      return [name, undefined];
    }
    const [source, value] = found;
    const parsed = field.schema.safeParse(value);
    if (!parsed.success) problems.push(`${name} (from ${source}) is ${quote(value)}; allowed: ${field.allowed}`);
    return [name, parsed.data];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.fromEntries(entries);
};

const firstGiven = (
  candidates: readonly (readonly [string, string | undefined])[],
): readonly [string, string] | undefined => {
  for (const [source, value] of candidates) if (value !== undefined) return [source, value];
  return undefined;
};

const readSettingsFile = async (path: string, fields: Fields, problems: string[]): Promise<Record<string, string>> => {
  let content: unknown;
  try {
    const written = await readFile(path, 'utf8');
    // The parser wants a document; a file whose lines are all commented out is a common way to say nothing.
    if (written.split('\n').every((line) => /^\s*(---\s*)?(#|$)/.test(line))) return {};
    content = loadYaml(written);
  } catch (error) {
    problems.push(`the file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
  if (!isJsonObject(content)) {
    problems.push(`the file ${path} must hold settings, one "name: value" a line, got ${quote(content)}`);
    return {};
  }
  const known = Object.entries(content).filter(([name, value]) => {
    if (!Object.hasOwn(fields, name))
      problems.push(`${name} in ${path} is not a setting; known: ${Object.keys(fields).join(', ')}`);
    else if (isScalar(value)) return true;
    else problems.push(`${name} in ${path} is ${quote(value)}; allowed: ${fields[name]?.allowed}`);
    return false;
  });
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
};

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
