// Prometheus metrics of the controller. Features register their own on the same registry.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface ControllerMetricSources {
  readonly isLeading: () => boolean;
  readonly loops: () => readonly {
    readonly name: string;
    readonly queue: { readonly depth: number; readonly delayed: number; readonly oldestAgeMs: number };
  }[];
}

export const METRIC_PREFIX = 'dynamic_networks_controller_';
/** prom-client's default of 10 wakes an idle process a hundred times a second. */
const EVENT_LOOP_SAMPLE_MS = 500;

export const createControllerMetrics = (sources: ControllerMetricSources) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: METRIC_PREFIX + name, help, labelNames, registers });

  const apiCalls = counter('api_requests_total', 'Requests to the API server', ['method', 'code']);
  const reconciles = counter('reconciles_total', 'Reconciles by loop and by how they ended', ['loop', 'outcome']);
  const droppedEvents = counter('events_dropped_total', 'Kubernetes events that were not sent', ['reason']);
  for (const reason of ['rate', 'error']) droppedEvents.inc({ reason }, 0);
  const watchErrors = counter('watch_errors_total', 'Lists and watches that ended in an error', ['resource']);

  new Gauge({
    name: `${METRIC_PREFIX}leader`,
    help: '1 while this replica leads',
    registers,
    collect() {
      this.set(sources.isLeading() ? 1 : 0);
    },
  });
  const perLoop = (name: string, help: string, read: (loop: ReturnType<typeof sources.loops>[number]) => number) =>
    new Gauge({
      name: METRIC_PREFIX + name,
      help,
      labelNames: ['loop'],
      registers,
      collect() {
        for (const loop of sources.loops()) this.set({ loop: loop.name }, read(loop));
      },
    });
  perLoop('queue_depth', 'Objects that wait to be worked on', ({ queue }) => queue.depth);
  perLoop('queue_delayed', 'Objects that come back later', ({ queue }) => queue.delayed);
  perLoop(
    'queue_oldest_age_seconds',
    'How long the oldest waiting object has waited',
    ({ queue }) => queue.oldestAgeMs / 1000,
  );

  return {
    registry,
    apiCall: (method: string, code: number | 'error') => apiCalls.inc({ method, code: String(code) }),
    reconciled: (loop: string, outcome: string) => reconciles.inc({ loop, outcome }),
    eventDropped: (reason: string) => droppedEvents.inc({ reason }),
    watchError: (resource: string) => watchErrors.inc({ resource }),
  };
};
