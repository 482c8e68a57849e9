// The agent's own counts of what it asked for, read through the API server's proxy as any monitoring could.
import { readMetrics } from './pod-metrics.ts';
import type { PodRef } from './pods.ts';
import type { Kubectl } from './target.ts';

const operation = /^dynamic_networks_operation_duration_seconds_count\{command="(\w+)",outcome="(\w+)"\} (\d+)$/gm;
const apiRequest = /^dynamic_networks_api_requests_total\{method="(\w+)",code="\w+"\} (\d+)$/gm;

const readSamples = async (kubectl: Kubectl, agent: PodRef, pattern: RegExp): Promise<readonly RegExpExecArray[]> => {
  const samples = [...(await readMetrics(kubectl, agent)).matchAll(pattern)];
  if (samples.length === 0) throw new Error(`${agent.name} has no metric like ${pattern.source}`);
  return samples;
};

/**
 * ADDs and DELs that changed something, or tried to. Checks for vanished interfaces are left out: they are CHECKs, and ADDs that
 * are meant to be refused.
 */
export const countOperations = async (kubectl: Kubectl, agent: PodRef): Promise<Readonly<Record<string, number>>> => {
  const samples = await readSamples(kubectl, agent, operation);
  const countOf = (command: string, isCounted: (outcome: string | undefined) => boolean): number =>
    samples
      .filter(([, name, outcome]) => name === command && isCounted(outcome))
      .reduce((sum, [, , , count]) => sum + Number(count), 0);
  return { ADD: countOf('ADD', (outcome) => outcome === 'ok'), DEL: countOf('DEL', () => true) };
};

/** By method, whatever was answered. */
export const countApiRequests = async (kubectl: Kubectl, agent: PodRef): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {};
  for (const [, method = '', count] of await readSamples(kubectl, agent, apiRequest))
    counts[method] = (counts[method] ?? 0) + Number(count);
  return counts;
};
