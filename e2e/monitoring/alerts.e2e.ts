// The alert rules by Prometheus' own tool, and what they ask for by the agents' real metrics.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { dumpYaml, loadYaml } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { agentNamespace } from '../install-agent.ts';
import { makeKubectl } from '../target.ts';

const run = promisify(execFile);
const source = resolve(import.meta.dirname, '../../deploy/monitoring');
const groups = ['agent-alerts', 'controller-alerts', 'claims-alerts'];
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'alerts-'));
  for (const name of groups) {
    const { spec } = loadYaml<{ spec: object }>(await readFile(join(source, `${name}.yaml`), 'utf8'));
    await writeFile(join(directory, `${name}.rules.yaml`), dumpYaml(spec));
  }
  await writeFile(
    join(directory, 'alerts.promtool.yaml'),
    await readFile(join(source, 'alerts.promtool.yaml'), 'utf8'),
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
  it('is there in the metrics of real agents and controllers', async () => {
    const kubectl = makeKubectl(inject('target'));
    const names = (await kubectl.run(['get', 'pods', '-n', agentNamespace, '-o', 'name'])).split('\n').filter(Boolean);
    const pages = await Promise.all(
      names.map((name) => {
        const pod = name.replace('pod/', '');
        return kubectl.run(['get', '--raw', `/api/v1/namespaces/${agentNamespace}/pods/${pod}:9464/proxy/metrics`]);
      }),
    );
    const exposed = new Set(pages.flatMap((page) => [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)));
    // Pools of addresses have metrics only where the gate VMPersistentIPs is on.
    const files = [
      ...groups.filter((name) => name !== 'claims-alerts').map((name) => `${name}.yaml`),
      'dashboard.json',
    ];
    const texts = await Promise.all(files.map((file) => readFile(join(source, file), 'utf8')));
    const asked = texts.flatMap((text) =>
      [...text.matchAll(/\b(?:dynamic_networks|process)_\w+/g)].map(([name]) =>
        name.replace(/(?<=duration_seconds)_(bucket|count|sum)$/, ''),
      ),
    );
    expect(names.length).toBeGreaterThan(2);
    expect(asked.length).toBeGreaterThan(20);
    expect([...new Set(asked)].filter((name) => !exposed.has(name))).toEqual([]);
  });
});
