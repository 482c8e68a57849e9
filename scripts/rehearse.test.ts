import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseImageEntrypoint, readImageEntrypoint } from './image-entrypoint.ts';
import { AGENT_UID, rehearse } from './rehearse.ts';

const root = resolve(import.meta.dirname, '..');
const entrypoint = readImageEntrypoint();

describe('the entrypoint of the image', () => {
  it('is read from the Dockerfile', () => {
    expect(entrypoint).toMatchObject({
      node: '/usr/local/bin/node',
      program: '/usr/local/lib/dynamic-networks/dynamic-networks.mjs',
      compiledDirectory: '/usr/local/lib/dynamic-networks/compiled',
      env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', NODE_COMPILE_CACHE_PORTABLE: '1' },
    });
    expect(entrypoint.nodeFlags.every((flag) => flag.startsWith('--'))).toBe(true);
  });

  it.each([
    ['no entrypoint', 'FROM scratch\nENV NODE_COMPILE_CACHE=/compiled\n'],
    ['no place for compiled code', 'FROM scratch\nENTRYPOINT ["/node", "/program.mjs"]\n'],
  ])('cannot be read from a Dockerfile with %s', (_, text) => {
    expect(() => parseImageEntrypoint(text)).toThrow(/the Dockerfile lacks/);
  });
});

describe('a rehearsal', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  const placeIn = (name: string) => ({
    program: join(directory, name, 'dynamic-networks.mjs'),
    compiledDirectory: join(directory, name, 'compiled'),
  });
  const image = placeIn('image');
  let files: readonly string[];
  beforeAll(async () => {
    const stage = placeIn('stage');
    mkdirSync(join(directory, 'stage'));
    copyFileSync(join(root, 'dist/dynamic-networks.mjs'), stage.program);
    files = await rehearse({ ...entrypoint, ...stage, node: process.execPath });
    renameSync(join(directory, 'stage'), join(directory, 'image')); // as its files move into the image
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** What Node says of the compiled code that it finds. */
  const start = (nodeFlags: readonly string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...nodeFlags, image.program, 'agent', '--help'], {
      env: { ...entrypoint.env, NODE_COMPILE_CACHE: image.compiledDirectory, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      encoding: 'utf8',
    });
    return { isTaken: stderr.includes('dynamic-networks.mjs was accepted'), help: stdout };
  };

  it.skipIf(process.getuid?.() !== AGENT_UID)('leaves code that an agent takes when it starts as in the image', () => {
    expect(start(entrypoint.nodeFlags)).toEqual({ isTaken: true, help: expect.stringContaining('--node-name') });
  });

  it('leaves code that is not taken with other flags, and then the program is compiled as usual', () => {
    const { isTaken, help } = start(['--no-opt', ...entrypoint.nodeFlags]);
    expect([isTaken, help]).toEqual([false, expect.stringContaining('--node-name')]);
  });

  it('leaves it under the name of the user that the agent has in its pod', () => {
    const documents = load(readFileSync(join(root, 'deploy/daemonset.yaml'), 'utf8'));
    expect(JSON.stringify(documents)).toContain(`"runAsUser":${AGENT_UID},`);
    expect(files).toEqual([expect.stringMatching(new RegExp(`/compiled/v[^/]+-${AGENT_UID}/[0-9a-f]+$`))]);
  });

  it('fails when the agent does', async () => {
    const program = join(directory, 'broken.mjs');
    writeFileSync(program, 'process.exit(3)');
    const broken = { ...entrypoint, ...placeIn('broken'), program, node: process.execPath };
    await expect(rehearse(broken)).rejects.toThrow('the agent ended in the middle of its rehearsal');
  });
});
