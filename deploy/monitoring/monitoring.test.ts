// Alerts and dashboard against the program: they ask for metrics that there are, and every alert has its page.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { renderDashboard } from '../../scripts/render-dashboard.ts';
import { createClaimMetrics } from '../../src/telemetry/claim-metrics.ts';
import { createControllerMetrics } from '../../src/telemetry/controller-metrics.ts';
import { createAgentMetrics } from '../../src/telemetry/metrics.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

const controller = createControllerMetrics({ isLeading: () => false, loops: () => [] }).registry;
createClaimMetrics(controller, () => []);
const queue = { depth: 0, processing: 0, delayed: 0, oldestAgeMs: 0 };
const registries = [
  createAgentMetrics({
    records: () => [],
    queue: () => queue,
    waitingForRetry: () => 0,
    pods: () => 0,
    isPodGone: () => false,
  }).registry,
  controller,
];
const known = new Set(registries.flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name)));

const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:dynamic_networks|process)_\w+/g)].map(([name]) =>
    name.replace(/(?<=duration_seconds)_(bucket|count|sum)$/, ''),
  );

const ruleFile = z.object({
  kind: z.literal('PrometheusRule'),
  spec: z.object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            alert: z.string(),
            expr: z.string(),
            labels: z.object({ severity: z.enum(['warning', 'critical']) }),
            annotations: z.object({ summary: z.string(), description: z.string(), runbook: z.string() }),
          }),
        ),
      }),
    ),
  }),
});
const alerts = globSync('*-alerts.yaml', { cwd: import.meta.dirname }).flatMap((file) =>
  ruleFile.parse(loadYaml(read(file))).spec.groups.flatMap(({ rules }) => rules),
);

describe('alerts', () => {
  it.each(alerts)('$alert asks for metrics that there are', ({ expr }) => {
    expect(metricsIn(expr).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(alerts)('$alert has a page that tells what to do', ({ alert, annotations }) => {
    expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`);
    expect(existsSync(join(root, annotations.runbook))).toBe(true);
  });

  it('have every page that there is', () => {
    const pages = globSync('Dynamic*.md', { cwd: join(root, 'docs/runbooks') }).map((file) => file.replace('.md', ''));
    expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });

  it('are each seen firing by the tests of promtool', () => {
    const tested = read('alerts.promtool.yaml');
    expect(alerts.filter(({ alert }) => !tested.includes(alert))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is the one that the script makes: run `npm run generate` if this fails', () => {
    expect(read('dashboard.json')).toBe(renderDashboard());
  });

  it('asks for metrics that there are', () => {
    const asked = metricsIn(renderDashboard());
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });
});
