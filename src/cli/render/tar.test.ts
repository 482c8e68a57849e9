import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeArchive } from './tar.ts';

it('makes archives that tar unpacks as they were', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dn-tar-'));
  const long = `${'folder-of-some-length/'.repeat(6)}${'a'.repeat(60)}.txt`;
  const files = [
    { path: 'a.txt', content: 'hello\n' },
    { path: 'bin/run', content: '#!/bin/sh\n', isExecutable: true },
    { path: 'empty', content: '' },
    { path: 'block', content: 'x'.repeat(512) },
    { path: 'umlaut', content: 'Zürich' },
    { path: long, content: 'deep' },
  ];
  try {
    writeFileSync(join(dir, 'x.tar.gz'), makeArchive(files));
    execFileSync('tar', ['-xzf', 'x.tar.gz'], { cwd: dir });
    for (const { path, content } of files) expect(readFileSync(join(dir, path), 'utf8')).toBe(content);
    expect(statSync(join(dir, 'bin/run')).mode & 0o777).toBe(0o755);
    expect(makeArchive(files)).toEqual(makeArchive(files));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it('refuses a path that the format has no place for', () => {
  expect(() => makeArchive([{ path: 'a'.repeat(101), content: '' }])).toThrow(RangeError);
});
