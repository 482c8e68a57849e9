// Asks KubeVirt's own functions about every moment and writes their answers down: node e2e/vm/differential/record.ts
// Takes Go and its pinned modules; tests read what was recorded and need neither.

import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, momentsOf } from './moments.ts';
import { shapes } from './shapes.ts';

const moments = shapes.flatMap(momentsOf);
const run = spawnSync('go', ['run', '.'], {
  cwd: join(import.meta.dirname, 'kubevirt-functions'),
  input: JSON.stringify(moments.map(({ input }) => input)),
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (run.status !== 0) throw new Error(`go run ended with ${run.status}`);
const answers: unknown[] = JSON.parse(run.stdout);
const recorded = moments.map(({ shape, moment, input }, index) =>
  JSON.stringify({ shape, moment, input: fingerprint(input), answer: answers[index] }),
);
const file = join(import.meta.dirname, 'recorded.json');
await writeFile(file, `[\n${recorded.join(',\n')}\n]\n`);
console.log(`${recorded.length} moments of ${shapes.length} shapes written to ${file}`);
