// Metrics by name: those that alerts and dashboard ask for, and those that real agents and controllers have.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentNamespace } from '../install-agent.ts';
import { readMetrics } from '../pod-metrics.ts';
import type { Kubectl } from '../target.ts';

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly deletionTimestamp?: string } }[];
}

export const monitoringDir = resolve(import.meta.dirname, '../../deploy/monitoring');

/** A histogram is asked for by its parts. */
const metricsAskedFor = async (file: string): Promise<ReadonlySet<string>> => {
  const text = await readFile(resolve(monitoringDir, file), 'utf8');
  return new Set(
    [...text.matchAll(/\b(?:dynamic_networks|process)_\w+/g)].map(([name]) =>
      name.replace(/(?<=duration_seconds)_(bucket|count|sum)$/, ''),
    ),
  );
};

/** What a file of deploy/monitoring asks for, and nobody has. */
export const metricsMissing = async (kubectl: Kubectl, file: string): Promise<readonly string[]> => {
  const [asked, exposed] = await Promise.all([metricsAskedFor(file), metricsExposed(kubectl)]);
  if (asked.size < 2) throw new Error(`${file} asks for ${asked.size} metrics`);
  return [...asked].filter((name) => !exposed.has(name));
};

/** Of all our pods together, but for those that are on their way out after a rollout. */
const metricsExposed = async (kubectl: Kubectl): Promise<ReadonlySet<string>> => {
  const { items } = JSON.parse(await kubectl.run(['get', 'pods', '-n', agentNamespace, '-o', 'json'])) as PodList;
  const staying = items.map(({ metadata }) => metadata).filter((each) => each.deletionTimestamp === undefined);
  const names = staying.map(({ name }) => name);
  if (names.length < 3) throw new Error(`expected agents and controllers, found ${names.join(', ') || 'nothing'}`);
  const pages = await Promise.all(staying.map((pod) => readMetrics(kubectl, pod)));
  return new Set(pages.flatMap((page) => [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)));
};
