// The krew archive, made and unpacked: what is in it runs, and the manifest is that of this very file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '..');
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'dn-krew-'));
  execFileSync(process.execPath, ['scripts/krew.ts', '--url', 'https://files.example/kubectl-dnet.tar.gz'], {
    cwd: root,
  });
  execFileSync('tar', ['-xzf', join(root, 'dist/kubectl-dnet.tar.gz')], { cwd: dir });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('the archive has a plugin that runs as it is', () => {
  // The same Node as ours, found by the PATH as on a person's machine.
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  expect(execFileSync(join(dir, 'kubectl-dnet'), ['--version'], { encoding: 'utf8', env: { PATH } })).toBe(
    `${packageJson.version}\n`,
  );
  expect(statSync(join(dir, 'kubectl_complete-dnet')).mode & 0o111).not.toBe(0);
  expect(existsSync(join(dir, 'LICENSE'))).toBe(true);
});

it('the manifest names the version and the sum of the archive', () => {
  const sha256 = createHash('sha256')
    .update(readFileSync(join(root, 'dist/kubectl-dnet.tar.gz')))
    .digest('hex');
  expect(load(readFileSync(join(root, 'dist/dnet.yaml'), 'utf8'))).toMatchObject({
    kind: 'Plugin',
    metadata: { name: 'dnet' },
    spec: {
      version: `v${packageJson.version}`,
      platforms: Array.from({ length: 4 }, () => ({
        sha256,
        uri: 'https://files.example/kubectl-dnet.tar.gz',
        bin: 'kubectl-dnet',
      })),
    },
  });
});
