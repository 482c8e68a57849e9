// The agent's own count of what it asked Multus to do, read through the API server's proxy as any monitoring could.
import { agentNamespace } from './install-agent.ts';
import type { PodRef } from './pods.ts';
import type { Kubectl } from './target.ts';

const metricsPort = 9464;
const sample = /^dynamic_networks_operation_duration_seconds_count\{command="(\w+)",outcome="(\w+)"\} (\d+)$/gm;

/**
 * ADDs and DELs that changed something, or tried to. Checks for vanished interfaces are left out: they are CHECKs, and ADDs that
 * are meant to be refused.
 */
export const countOperations = async (kubectl: Kubectl, agent: PodRef): Promise<Readonly<Record<string, number>>> => {
  const path = `/api/v1/namespaces/${agentNamespace}/pods/${agent.name}:${metricsPort}/proxy/metrics`;
  const samples = [...(await kubectl.run(['get', '--raw', path])).matchAll(sample)];
  if (samples.length === 0) throw new Error(`${agent.name} has no metric of its operations`);
  const countOf = (command: string, isCounted: (outcome: string | undefined) => boolean): number =>
    samples
      .filter(([, name, outcome]) => name === command && isCounted(outcome))
      .reduce((sum, [, , , count]) => sum + Number(count), 0);
  return { ADD: countOf('ADD', (outcome) => outcome === 'ok'), DEL: countOf('DEL', () => true) };
};
