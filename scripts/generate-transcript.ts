// Plays the demo and puts what it showed into README.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { excerptOf, withTranscript } from '../src/embedded/demo/transcript.ts';

const root = resolve(import.meta.dirname, '..');
const { stdout, status } = spawnSync(process.execPath, ['src/embedded/demo/main.ts', '--fast', '--timeout', '60'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) throw new Error(`the demo failed:\n${stdout}`);
const readme = resolve(root, 'README.md');
writeFileSync(readme, withTranscript(readFileSync(readme, 'utf8'), excerptOf(stdout)));
