// Composition root of the controller: who leads, what is watched, and which features the gates turn on. It decides nothing
// about virtual machines or addresses; src/wiring/wire-*.ts put the features together.
import { randomUUID } from 'node:crypto';
import type { ControllerSettings } from './config/controller-settings.ts';
import { WorkLoop } from './controller/work-loop.ts';
import { ApiClient } from './kube/api-client.ts';
import { EventRecorder } from './kube/event-recorder.ts';
import { LeaderElection } from './kube/leader-election.ts';
import { loadKubeConfig } from './kube/load-kube-config.ts';
import { ObjectWriter } from './kube/object-writer.ts';
import { userAgentOf } from './kube/user-agent.ts';
import { Watches } from './kube/watches.ts';
import { createControllerMetrics } from './telemetry/controller-metrics.ts';
import { makeReadiness } from './telemetry/health.ts';
import { startTelemetryServer } from './telemetry/http-server.ts';
import { createLogger } from './telemetry/logger.ts';
import { makeClusterWatches } from './wiring/cluster-watches.ts';
import type { Feature, FeatureContext, Service } from './wiring/feature.ts';
import { wireFeatures } from './wiring/wire-features.ts';

export interface RunningController {
  readonly telemetryPort: number;
  readonly isLeading: boolean;
  /** Finishes what is in flight within the shutdown timeout, gives the lease back, then closes everything. */
  stop(): Promise<void>;
}

export interface ControllerOverrides {
  /** Instead of ending the process: a replica that lost its lease starts anew, so that nothing of its past can act. */
  readonly onLeadershipLost?: (reason: string) => void;
}

export const startController = async (
  settings: ControllerSettings,
  overrides: ControllerOverrides = {},
): Promise<RunningController> => {
  const log = createLogger({ level: settings.logLevel, role: 'controller', node: settings.podName });
  const backoff = { minMs: settings.retryMin, maxMs: settings.retryMax, random: Math.random };
  const client = new ApiClient(loadKubeConfig(settings.kubeconfig), {
    userAgent: userAgentOf('dynamic-networks-controller'),
    requestTimeoutMs: settings.apiTimeout,
    onCall: (method, code) => metrics.apiCall(method, code),
  });
  const recorder = new EventRecorder({
    client,
    component: 'dynamic-networks',
    instance: settings.podName,
    onDropped: (reason, error) => {
      metrics.eventDropped(reason);
      log.debug({ reason, err: error }, 'event not sent');
    },
  });

  const loseLeadership = (reason: string) => {
    log.error({ reason }, 'leadership lost: starting anew');
    (overrides.onLeadershipLost ?? (() => process.exit(1)))(reason);
  };
  const election = new LeaderElection({
    client,
    namespace: settings.podNamespace,
    name: settings.leaseName,
    identity: `${settings.podName}_${randomUUID()}`,
    leaseMs: settings.leaseDuration,
    renewDeadlineMs: settings.renewDeadline,
    retryMs: settings.leaseRetry,
    onStarted: () => void lead(),
    onLost: loseLeadership,
    onError: (error) => log.warn({ err: error }, 'the lease could not be read or renewed'),
  });
  const writer = new ObjectWriter({
    client,
    refusal: () => (election.isLeading ? undefined : 'this replica does not lead'),
  });
  const watches = new Watches({
    client,
    onError: (resource, error, nextTryMs) => {
      metrics.watchError(resource);
      log.warn({ resource, nextTryMs, err: error }, 'watch interrupted');
    },
  });

  const metrics = createControllerMetrics({
    isLeading: () => election.isLeading,
    loops: () => features.flatMap(({ loops }) => loops),
  });
  const context: FeatureContext = {
    settings,
    client,
    writer,
    watched: makeClusterWatches(watches),
    recordEvent: (subject, event) => recorder.record(subject, event),
    registry: metrics.registry,
    log,
    makeLoop: (name, work) =>
      new WorkLoop({
        name,
        ...work,
        concurrency: settings.concurrency,
        backoff,
        log,
        onOutcome: (loop, outcome) => metrics.reconciled(loop, outcome),
      }),
  };
  const features: readonly Feature[] = wireFeatures(context);
  const services: Service[] = [];

  const telemetry = await startTelemetryServer({
    ...settings.listen,
    registry: metrics.registry,
    readiness: makeReadiness(
      [
        {
          name: 'watches',
          probe: () => {
            const { disconnected } = watches;
            if (disconnected.length > 0) throw new Error(`not connected: ${disconnected.join(', ')}`);
          },
        },
        {
          name: 'services',
          probe: () => {
            if (!isServing) throw new Error('not started yet');
            for (const service of services) service.probe();
          },
        },
      ],
      () => performance.now(),
    ),
  });

  let isServing = false;
  watches.start();
  const serving = watches.synced().then(async () => {
    for (const { startServices } of features) services.push(...((await startServices?.()) ?? []));
    isServing = true;
    log.info({ gates: [...settings.featureGates], services: services.map(({ name }) => name) }, 'controller started');
  });
  serving.catch((error: unknown) => {
    log.fatal({ err: error }, 'a service cannot start');
    process.exit(1);
  });
  election.start();

  async function lead(): Promise<void> {
    await serving;
    log.info('leading');
    for (const loop of features.flatMap(({ loops }) => loops)) loop.start();
  }

  return {
    telemetryPort: telemetry.port,
    get isLeading() {
      return election.isLeading;
    },
    stop: async () => {
      log.info('shutting down');
      const loops = features.flatMap((feature) => feature.loops);
      // Services depend on nobody's leadership, and take their time to let clients go elsewhere.
      const serviceStops = services.map((service) => service.stop());
      await Promise.all(loops.map((loop) => loop.stop(settings.shutdownTimeout)));
      await election.stop();
      await Promise.all(serviceStops);
      await watches.stop();
      await recorder.flush(1000);
      await telemetry.close();
      client.close();
      log.info('stopped');
    },
  };
};
