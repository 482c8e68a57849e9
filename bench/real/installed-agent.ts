// Our agent, installed by `kubectl apply -k` with the settings that are shipped. It counts its calls itself; memory and CPU
// time are what the node's kernel counts for its process.
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { ClusterNode } from '../../e2e/cluster/node.ts';
import { pollUntil } from '../../e2e/cluster/poll-until.ts';
import type { Agents } from '../../e2e/faults/agents.ts';
import { agentNamespace } from '../../e2e/install-agent.ts';
import type { ApiClient } from '../../src/kube/api-client.ts';
import { cpuMsIn, memoryIn } from '../proc-files.ts';
import { activityIn, callsIn, parseMetrics, type Sample } from './agent-metrics.ts';
import type { Controller } from './controller.ts';

const metricsPort = 9464;
const scrapeTimeoutMs = 10_000;
const startDeadlineMs = 60_000;

const podList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.optional(z.string()) }),
      status: z.object({ containerStatuses: z.optional(z.array(z.object({ containerID: z.optional(z.string()) }))) }),
    }),
  ),
});

export interface InstalledAgentOptions {
  readonly client: ApiClient;
  readonly agents: Agents;
  readonly node: ClusterNode;
}

export type InstalledAgent = Controller & {
  readonly samples: () => Promise<readonly Sample[]>;
};

export const makeInstalledAgent = ({ client, agents, node }: InstalledAgentOptions): InstalledAgent => {
  let running: { readonly pod: string; readonly pid: number } | undefined;

  const findRunning = async (): Promise<typeof running> => {
    const query = { labelSelector: 'app.kubernetes.io/component=agent', fieldSelector: `spec.nodeName=${node.name}` };
    const path = `/api/v1/namespaces/${agentNamespace}/pods`;
    const { items } = podList.parse(await client.json({ method: 'GET', path, query }));
    const pod = items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
    const container = pod?.status.containerStatuses?.[0]?.containerID?.replace('containerd://', '');
    if (pod === undefined || !container) return undefined;
    const pidFile = `/run/containerd/io.containerd.runtime.v2.task/k8s.io/${container}/init.pid`;
    return { pod: pod.metadata.name, pid: Number(await node.run(['cat', pidFile])) };
  };

  const getRunning = (): { readonly pod: string; readonly pid: number } => {
    if (running === undefined) throw new Error('the agent is not started');
    return running;
  };

  const samples = async (): Promise<readonly Sample[]> => {
    const path = `/api/v1/namespaces/${agentNamespace}/pods/${getRunning().pod}:${metricsPort}/proxy/metrics`;
    const answer = await client.stream({ method: 'GET', path, signal: AbortSignal.timeout(scrapeTimeoutMs) });
    return parseMetrics(await text(answer));
  };

  const readProc = (file: string): Promise<string> => node.run(['cat', `/proc/${getRunning().pid}/${file}`]);

  return {
    isInCluster: true,
    hasLedger: true,
    editDeadlineMs: 120_000,
    start: async () => {
      await agents.bringBack();
      running = await pollUntil(`the agent of ${node.name}`, findRunning, { deadlineMs: startDeadlineMs });
    },
    stop: async () => {
      running = undefined;
      await agents.takeAway();
    },
    samples,
    calls: async () => callsIn(await samples()),
    activity: async () => activityIn(await samples()),
    cpuMs: async () => cpuMsIn(await readProc('stat')),
    memory: async () => memoryIn(await readProc('status')),
  };
};
