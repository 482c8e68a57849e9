// The agent's own count of its calls, from its Prometheus metrics. Pure: text in, numbers out.
import type { Calls } from '../world.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export const parseMetrics = (text: string): readonly Sample[] =>
  [...text.matchAll(line)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(label)].map(([, key = '', content = '']) => [key, content])),
    value: Number(value),
  }));

const countBy = (samples: readonly Sample[], name: string, key: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const sample of samples) {
    const group = sample.labels[key];
    if (sample.name === name && group !== undefined) counts[group] = (counts[group] ?? 0) + sample.value;
  }
  return counts;
};

/** The agent counts requests by their method; these are what it uses each for. A repeated event is a PATCH, too. */
const meanings: Readonly<Record<string, string>> = { PATCH: 'patch pods', POST: 'create events' };

export const callsIn = (samples: readonly Sample[]): Calls => {
  // Asked by the readiness probe of the kubelet, whether or not anything is plugged.
  const { Version: _, ...cri } = countBy(samples, 'dynamic_networks_cri_calls_total', 'method');
  const api = countBy(samples, 'dynamic_networks_api_requests_total', 'method');
  return {
    cri,
    multus: countBy(samples, 'dynamic_networks_operation_duration_seconds_count', 'command'),
    api: Object.fromEntries(Object.entries(api).map(([method, count]) => [meanings[method] ?? method, count])),
  };
};

/** What came since, so that counters need not be reset. */
export const callsSince = (before: Calls, after: Calls): Calls => {
  const difference = (key: keyof Calls): Record<string, number> =>
    Object.fromEntries(Object.entries(after[key]).map(([name, count]) => [name, count - (before[key][name] ?? 0)]));
  return { cri: difference('cri'), multus: difference('multus'), api: difference('api') };
};

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Equal to its value of a moment ago when the agent did nothing since, and has nothing to do. */
export const activityIn = (samples: readonly Sample[]): string => {
  const { cri, multus, api } = callsIn(samples);
  const busy = ['dynamic_networks_queue_depth', 'dynamic_networks_queue_processing'].map(
    (name) => samples.find((sample) => sample.name === name)?.value ?? 0,
  );
  return [sumOf(cri), sumOf(multus), sumOf(api), ...busy].join(' ');
};

export const valueIn = (samples: readonly Sample[], name: string): number => {
  const value = samples.find((sample) => sample.name === name)?.value;
  if (value === undefined) throw new Error(`the agent has no metric ${name}`);
  return value;
};
