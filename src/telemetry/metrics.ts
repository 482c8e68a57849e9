// Prometheus metrics of the agent. Series with a closed set of labels exist from the start, at zero.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PodRecord } from '../model/attachment-record.ts';

export interface AgentMetricSources {
  readonly records: () => readonly PodRecord[];
  readonly queue: () => {
    readonly depth: number;
    readonly processing: number;
    readonly delayed: number;
    readonly oldestAgeMs: number;
  };
  readonly waitingForRetry: () => number;
  readonly pods: () => number;
  readonly isPodGone: (record: PodRecord) => boolean;
}

const PREFIX = 'dynamic_networks_';
/** prom-client's default of 10 wakes an idle agent a hundred times a second, on every node. */
const EVENT_LOOP_SAMPLE_MS = 500;
const OUTCOMES = ['ok', 'failed', 'unreachable'] as const;

export const createAgentMetrics = (sources: AgentMetricSources) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });
  const gauge = (
    name: string,
    help: string,
    collect: (set: Gauge<string>) => void,
    labelNames: readonly string[] = [],
  ) =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        collect(this);
      },
    });

  const operations = new Histogram({
    name: `${PREFIX}operation_duration_seconds`,
    help: 'Time that Multus took for a CNI command',
    labelNames: ['command', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  for (const command of ['ADD', 'DEL', 'CHECK']) for (const outcome of OUTCOMES) operations.zero({ command, outcome });

  const apiCalls = counter('api_requests_total', 'Requests to the API server', ['method', 'code']);
  const runtimeCalls = counter('cri_calls_total', 'Calls to the container runtime', ['method', 'outcome']);
  const reconciles = counter('reconciles_total', 'Reconciles of a pod by how they ended', ['outcome']);
  for (const outcome of ['done', 'retry', 'waitForChange']) reconciles.inc({ outcome }, 0);
  const retries = counter('retries_total', 'Reconciles that failed and will be repeated');
  const bugs = counter('bugs_total', 'Reconciles that failed in a way that nobody foresaw');
  const droppedEvents = counter('events_dropped_total', 'Kubernetes events that were not sent', ['reason']);
  for (const reason of ['rate', 'error']) droppedEvents.inc({ reason }, 0);
  const watchErrors = counter('watch_errors_total', 'Lists and watches that ended in an error', ['resource']);
  for (const resource of ['pods', 'networks']) watchErrors.inc({ resource }, 0);

  gauge(
    'attachments',
    'Hot-plugged interfaces in the ledger',
    (set) => {
      for (const { state, network } of sources.records().flatMap((record) => record.attachments))
        set.inc({ state, network });
    },
    ['state', 'network'],
  );
  gauge('ledger_pods', 'Pods in the ledger', (set) => set.set(sources.records().length));
  gauge('orphans', 'Interfaces in the ledger whose pod is gone and that are still to be released', (set) => {
    const orphans = sources.records().filter(sources.isPodGone);
    set.set(orphans.reduce((sum, record) => sum + record.attachments.length, 0));
  });
  gauge('pods', 'Pods of this node that the agent knows', (set) => set.set(sources.pods()));
  gauge('queue_depth', 'Pods that wait to be worked on', (set) => set.set(sources.queue().depth));
  gauge('queue_processing', 'Pods that are worked on', (set) => set.set(sources.queue().processing));
  gauge('queue_delayed', 'Pods that come back later', (set) => set.set(sources.queue().delayed));
  gauge('queue_oldest_age_seconds', 'How long the oldest waiting pod has waited', (set) =>
    set.set(sources.queue().oldestAgeMs / 1000),
  );
  gauge('waiting_for_retry', 'Interfaces whose last try failed', (set) => set.set(sources.waitingForRetry()));

  return {
    registry,
    operation: (command: string, outcome: (typeof OUTCOMES)[number], durationMs: number) =>
      operations.observe({ command, outcome }, durationMs / 1000),
    apiCall: (method: string, code: number | 'error') => apiCalls.inc({ method, code: String(code) }),
    runtimeCall: (method: string, outcome: string) => runtimeCalls.inc({ method, outcome }),
    reconciled: (outcome: string) => {
      reconciles.inc({ outcome });
      if (outcome === 'retry') retries.inc();
    },
    bug: () => bugs.inc(),
    eventDropped: (reason: string) => droppedEvents.inc({ reason }),
    watchError: (resource: string) => watchErrors.inc({ resource }),
  };
};
