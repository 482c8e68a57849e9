import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentFields } from './agent-settings.ts';
import { duration, type Fields, list, listenAddress, oneOf, optionalText, path, text, wholeNumber } from './field.ts';
import { envName, flagName, loadSettings, SettingsError } from './load-settings.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const fields = {
  nodeName: text({ placeholder: 'NAME', description: 'name of the node' }),
  retryMax: duration('1s', '1h', { default: '60s', description: 'longest delay' }),
};
const file = (content: string, name = 'settings.yaml'): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
const load = <F extends Fields>(
  settings: F,
  sources: { flags?: Record<string, string>; env?: Record<string, string>; file?: string },
) => loadSettings(settings, { flags: {}, env: {}, file: undefined, ...sources });
const problemsOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SettingsError) return error.message;
  throw new Error(`no SettingsError but ${String(error)}`);
};

describe('which value counts', () => {
  const all = {
    flags: { nodeName: 'flag', retryMax: '4s' },
    env: { DYNAMIC_NETWORKS_NODE_NAME: 'env', DYNAMIC_NETWORKS_RETRY_MAX: '3s' },
  };
  const inFile = () => file('nodeName: file\nretryMax: 2s\n');

  it('a flag before the environment', async () => {
    expect(await load(fields, { ...all, file: inFile() })).toEqual({ nodeName: 'flag', retryMax: 4000 });
  });

  it('the environment before the file', async () => {
    expect(await load(fields, { env: all.env, file: inFile() })).toEqual({ nodeName: 'env', retryMax: 3000 });
  });

  it('the file before the default', async () => {
    expect(await load(fields, { file: inFile() })).toEqual({ nodeName: 'file', retryMax: 2000 });
  });

  it('the default when nobody says anything', async () => {
    expect(await load(fields, { flags: { nodeName: 'a' } })).toEqual({ nodeName: 'a', retryMax: 60_000 });
  });

  it('each setting by itself', async () => {
    expect(await load(fields, { flags: { nodeName: 'flag' }, file: inFile() })).toEqual({
      nodeName: 'flag',
      retryMax: 2000,
    });
  });
});

describe('the file', () => {
  it.each([
    ['YAML', 'nodeName: a # comment\nretryMax: "5s"\n'],
    ['JSON', '{"nodeName": "a", "retryMax": "5s"}'],
  ])('may be %s', async (_, content) => {
    expect(await load(fields, { file: file(content) })).toEqual({ nodeName: 'a', retryMax: 5000 });
  });

  it.each([
    ['numbers', { n: wholeNumber(1, 9, { description: '' }) }, 'n: 5', { n: 5 }],
    ['zero', { d: duration('0', '1h', { description: '' }) }, 'd: 0', { d: 0 }],
    ['true and false as texts', { t: text({ placeholder: '', description: '' }) }, 't: true', { t: 'true' }],
  ])('may hold %s', async (_, settings, content, expected) => {
    expect(await load(settings, { file: file(content) })).toEqual(expected);
  });

  it.each([
    ['be empty', ''],
    ['be blank', ' \n\n'],
    ['hold comments alone', '# nodeName: b\n  # retryMax: 5s\n'],
    ['hold an empty document', '---\n'],
  ])('regression: may %s', async (_, content) => {
    expect(await load(fields, { flags: { nodeName: 'a' }, file: file(content) })).toMatchObject({ nodeName: 'a' });
  });

  it.each([
    ['is not there', () => join(directory, 'none.yaml'), /the file .*none\.yaml cannot be read: ENOENT/],
    ['is a directory', () => directory, /cannot be read: EISDIR/],
    ['is no YAML', () => file('a: [b'), /the file .* cannot be read: /],
    ['is a list', () => file('- a'), /must hold settings, one "name: value" a line, got \["a"\]/],
    ['is a text', () => file('hello'), /must hold settings, .* got "hello"/],
    [
      'names a setting that there is not',
      () => file('nodename: a'),
      /nodename in .* is not a setting; known: nodeName, retryMax/,
    ],
    ['names a flag instead of a setting', () => file('node-name: a'), /node-name in .* is not a setting/],
    ['reaches for a prototype', () => file('__proto__: {a: 1}'), /__proto__ in .* is not a setting/],
    [
      'gives a list for a value',
      () => file('nodeName: [a]'),
      /nodeName in .* is \["a"\]; allowed: a text that is not empty/,
    ],
    ['gives nothing for a value', () => file('nodeName:'), /nodeName in .* is null; allowed: a text that is not empty/],
  ])('%s: the error says so', async (_, prepare, expected) => {
    expect(await problemsOf(load(fields, { file: prepare(), flags: { nodeName: 'a' } }))).toMatch(expected);
  });
});

describe('errors', () => {
  it('name the setting, where the value came from, the value and what is allowed', async () => {
    const path = file('retryMax: 9h');
    const expected = 'a duration such as 200ms, 30s, 10m or 1h, from 1s to 1h';
    const nodeName = 'a';
    expect(await problemsOf(load(fields, { flags: { nodeName, retryMax: 'soon' } }))).toContain(
      `retryMax (from flag --retry-max) is "soon"; allowed: ${expected}`,
    );
    expect(await problemsOf(load(fields, { flags: { nodeName }, env: { DYNAMIC_NETWORKS_RETRY_MAX: '1' } }))).toContain(
      `retryMax (from environment variable DYNAMIC_NETWORKS_RETRY_MAX) is "1"; allowed: ${expected}`,
    );
    expect(await problemsOf(load(fields, { flags: { nodeName }, file: path }))).toContain(
      `retryMax (from retryMax in ${path}) is "9h"; allowed: ${expected}`,
    );
  });

  it('say how a setting that is missing can be given', async () => {
    expect(await problemsOf(load(fields, {}))).toBe(
      'the configuration has 1 problem:\n  nodeName must be given: name of the node (a text that is not empty); use --node-name or DYNAMIC_NETWORKS_NODE_NAME',
    );
  });

  it('come all at once', async () => {
    const message = await problemsOf(load(fields, { flags: { retryMax: 'x' }, file: file('what: 1') }));
    expect(message).toMatch(/^the configuration has 3 problems:\n {2}what.*\n {2}nodeName.*\n {2}retryMax/);
  });

  it('an empty environment variable is a value, not an absent one', async () => {
    expect(await problemsOf(load(fields, { env: { DYNAMIC_NETWORKS_NODE_NAME: '' } }))).toContain(
      'nodeName (from environment variable DYNAMIC_NETWORKS_NODE_NAME) is ""',
    );
  });
});

describe('kinds of settings', () => {
  const kinds = {
    path: path({ description: '' }),
    whole: wholeNumber(1, 64, { description: '' }),
    duration: duration('10ms', '1h', { description: '' }),
    choice: oneOf(['keep', 'manage'], { description: '' }),
    list: list({ placeholder: '', description: '' }),
    listen: listenAddress({ description: '' }),
    optional: optionalText({ placeholder: '', description: '' }),
  };

  it.each<[keyof typeof kinds, string, unknown]>([
    ['path', '/run/a.sock', '/run/a.sock'],
    ['whole', '64', 64],
    ['duration', '10ms', 10],
    ['duration', '90s', 90_000],
    ['duration', '60m', 3_600_000],
    ['duration', '1h', 3_600_000],
    ['choice', 'manage', 'manage'],
    ['list', ' a, b,,c ', ['a', 'b', 'c']],
    ['list', '', []],
    ['listen', ':9464', { host: '', port: 9464 }],
    ['listen', '127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['listen', '[::1]:80', { host: '::1', port: 80 }],
    ['listen', 'localhost:65535', { host: 'localhost', port: 65_535 }],
    ['optional', '', ''],
  ])('%s takes %j', async (kind, value, expected) => {
    expect(await load({ it: kinds[kind] }, { flags: { it: value } })).toEqual({ it: expected });
  });

  it.each<[keyof typeof kinds, string]>([
    ['path', 'run/a.sock'],
    ['path', ''],
    ['whole', '0'],
    ['whole', '65'],
    ['whole', '1.5'],
    ['whole', '-1'],
    ['whole', ' 5'],
    ['whole', '1e1'],
    ['duration', '9ms'],
    ['duration', '2h'],
    ['duration', '10'],
    ['duration', '1.5s'],
    ['duration', '1h30m'],
    ['duration', 'Infinity'],
    ['choice', 'Keep'],
    ['listen', '9464'],
    ['listen', 'a b:80'],
    ['listen', '::1:80'],
    ['listen', ':http'],
  ])('%s refuses %j', async (kind, value) => {
    expect(await problemsOf(load({ it: kinds[kind] }, { flags: { it: value } }))).toContain(
      `it (from flag --it) is ${JSON.stringify(value)}; allowed: ${kinds[kind].allowed}`,
    );
  });

  it('regression: a port beyond 65535 is refused here, not by a stack trace at start-up', async () => {
    expect(await problemsOf(load({ it: kinds.listen }, { flags: { it: ':65536' } }))).toContain('":65536"; allowed');
  });
});

describe('names', () => {
  it.each([
    ['nodeName', '--node-name', 'DYNAMIC_NETWORKS_NODE_NAME'],
    ['listen', '--listen', 'DYNAMIC_NETWORKS_LISTEN'],
    ['multusCacheDir', '--multus-cache-dir', 'DYNAMIC_NETWORKS_MULTUS_CACHE_DIR'],
  ])('%s is %s and %s', (field, flag, variable) => {
    expect([flagName(field), envName(field)]).toEqual([flag, variable]);
  });

  it('every default of the agent is allowed', async () => {
    const flags = { nodeName: 'a', podNamespace: 'b', podName: 'c', podUid: 'd' };
    expect(await load(agentFields, { flags })).toMatchObject({ concurrency: 8, retryMin: 200, checkInterval: 600_000 });
  });
});
