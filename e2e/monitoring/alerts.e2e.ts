// The alert rules by Prometheus' own tool, and what they ask for by the agents' real metrics.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dumpYaml, loadYaml } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeKubectl } from '../target.ts';
import { metricsMissing, monitoringDir } from './metric-names.ts';

const run = promisify(execFile);
const groups = ['agent-alerts', 'controller-alerts', 'claims-alerts'];
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'alerts-'));
  for (const name of groups) {
    const { spec } = loadYaml<{ spec: object }>(await readFile(join(monitoringDir, `${name}.yaml`), 'utf8'));
    await writeFile(join(directory, `${name}.rules.yaml`), dumpYaml(spec));
  }
  await writeFile(
    join(directory, 'alerts.promtool.yaml'),
    await readFile(join(monitoringDir, 'alerts.promtool.yaml'), 'utf8'),
  );
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('alert rules', () => {
  it('are valid', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', ...groups.map((name) => `${name}.rules.yaml`)], {
      cwd: directory,
    });
    expect(stdout.match(/SUCCESS/g)).toHaveLength(groups.length);
  });

  it('fire when they should, and not before', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', 'alerts.promtool.yaml'], { cwd: directory });
    expect(stdout).toContain('SUCCESS');
  });
});

describe('what alerts and dashboard ask for', () => {
  // Pools of addresses have metrics only where the gate VMPersistentIPs is on: helm/chart-lifecycle.e2e.ts asks there.
  it.each(['agent-alerts.yaml', 'controller-alerts.yaml', 'dashboard.json'])(
    'in %s is there in the metrics of real agents and controllers',
    async (file) => {
      expect(await metricsMissing(makeKubectl(inject('target')), file)).toEqual([]);
    },
  );
});
