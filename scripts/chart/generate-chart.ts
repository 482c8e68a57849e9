// Rewrites deploy/chart: `npm run generate`.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { renderChart } from './render-chart.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');
await rm(join(deploy, 'chart'), { recursive: true, force: true });
for (const [file, content] of renderChart(deploy)) {
  const path = join(deploy, 'chart', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
