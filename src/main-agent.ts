// Composition root of the node agent: the only place that knows all its parts, reads no settings of its own and decides
// nothing about pods. The way of an edit: watched pods → queue → agent/reconcile-pod.ts.
import { randomUUID } from 'node:crypto';
import { RuntimeClient } from '../cri/runtime-client.ts';
import { SandboxLookup } from '../cri/sandbox-lookup.ts';
import { DriftSchedule } from './agent/drift-schedule.ts';
import { lookRepeatedly } from './agent/look-repeatedly.ts';
import type { AgentDeps, Ledger } from './agent/ports.ts';
import { makeReconcilePod } from './agent/reconcile-pod.ts';
import { RetrySchedule } from './agent/retry-schedule.ts';
import type { AgentSettings } from './config/agent-settings.ts';
import { listReservations } from './host/host-local-store.ts';
import { NodeNetwork } from './host/node-network.ts';
import { ApiClient } from './kube/api-client.ts';
import { EventRecorder } from './kube/event-recorder.ts';
import { loadKubeConfig } from './kube/load-kube-config.ts';
import { makeWritePodStatus } from './kube/pod-status-writer.ts';
import { userAgentOf } from './kube/user-agent.ts';
import { WatchedNetworks } from './kube/watched-networks.ts';
import { WatchedPods } from './kube/watched-pods.ts';
import { type CorruptFile, FileLedger } from './ledger/file-ledger.ts';
import { holdLedger } from './ledger/hold-ledger.ts';
import { writeDurably } from './ledger/ledger-files.ts';
import { RememberedRules } from './ledger/remembered-rules.ts';
import type { PodRecord } from './model/attachment-record.ts';
import { type NetworkName, type PodKey, podKey, splitName } from './model/keys.ts';
import { makeCreationCache } from './multus/creation-cache.ts';
import { DelegateClient } from './multus/delegate-client.ts';
import { NodeNetworks } from './multus/node-networks.ts';
import { KeyedQueue } from './queue/keyed-queue.ts';
import { describeAddresses } from './telemetry/addresses-page.ts';
import { makeReadiness } from './telemetry/health.ts';
import { startTelemetryServer } from './telemetry/http-server.ts';
import { listLedger } from './telemetry/ledger-page.ts';
import { createLogger } from './telemetry/logger.ts';
import { createAgentMetrics } from './telemetry/metrics.ts';

export interface RunningAgent {
  readonly telemetryPort: number;
  /** Finishes what is in flight within the shutdown timeout, then closes everything. */
  stop(): Promise<void>;
}

export interface AgentOverrides {
  /** Lets crash tests end the process at a ledger transition. */
  readonly wrapLedger?: (ledger: FileLedger) => Ledger & Pick<FileLedger, 'list'>;
}

/** How often pods are looked through for those that are due to be checked for drift. */
const DRIFT_TICKS_PER_INTERVAL = 20;

/** A pause in the work of at least this long is one for events. */
const EVENTS_QUIET_MS = 100;
/** How often files of the node that cannot be watched are read anew, besides when a pod is worked on: a few small ones. */
const NODE_LOOK_MS = 5000;

export const startAgent = async (settings: AgentSettings, overrides: AgentOverrides = {}): Promise<RunningAgent> => {
  const log = createLogger({ level: settings.logLevel, role: 'agent', node: settings.nodeName });
  const backoff = { minMs: settings.retryMin, maxMs: settings.retryMax, random: Math.random };

  const client = new ApiClient(loadKubeConfig(settings.kubeconfig), {
    userAgent: userAgentOf('dynamic-networks-agent'),
    requestTimeoutMs: settings.apiTimeout,
    onCall: (method, code) => metrics.apiCall(method, code),
  });
  const recorder = new EventRecorder({
    client,
    component: 'dynamic-networks',
    instance: settings.nodeName,
    onIdle: () => queue.onQuiet(EVENTS_QUIET_MS),
    onDropped: (reason, error) => {
      metrics.eventDropped(reason);
      log.debug({ reason, err: error }, 'event not sent');
    },
  });
  const onNode: AgentDeps['events']['onNode'] = ({ reason, message }) =>
    recorder.record(
      { kind: 'Node', name: settings.nodeName, uid: settings.nodeName },
      { type: 'Warning', reason, message },
    );

  const hold = await holdLedger(settings.ledgerDir, {
    onWait: () =>
      log.warn('another agent still runs on this node, as when its pod was deleted by force; waiting for its end'),
    onUnable: (error) => log.warn({ err: error }, 'the ledger cannot be held against another agent'),
  });
  const corrupt: CorruptFile[] = [];
  const files = await FileLedger.open(settings.ledgerDir, (file) => corrupt.push(file));
  const ledger = overrides.wrapLedger?.(files) ?? files;
  const retries = new RetrySchedule(backoff, monotonicMs);
  const drift = new DriftSchedule({ intervalMs: settings.checkInterval, now: monotonicMs, random: Math.random });

  let isStarted = false;
  const enqueue = (key: PodKey) => {
    if (isStarted) queue.add(key);
  };
  const watchError = (resource: string) => (error: unknown, nextTryMs: number) => {
    metrics.watchError(resource);
    log.warn({ resource, nextTryMs, err: error }, 'watch interrupted');
  };
  const pods = new WatchedPods({ client, nodeName: settings.nodeName, onChange: enqueue, onError: watchError('pods') });
  const networks = new WatchedNetworks({ client, onChange: enqueueUsersOf, onError: watchError('networks') });

  const delegate = new DelegateClient({
    socketPath: settings.multusSocket,
    timeoutMs: settings.multusTimeout,
    maxConnections: settings.concurrency,
    onCall: (command, outcome, durationMs) => metrics.operation(command, outcome, durationMs),
  });
  const runtime = new RuntimeClient({
    socketPath: settings.criSocket,
    timeoutMs: settings.criTimeout,
    onCall: (method, outcome) => metrics.runtimeCall(method, outcome),
  });
  const writePodStatus = makeWritePodStatus(client, () => new Date());
  const nodeNetworks = new NodeNetworks({
    ...settings,
    memory: new RememberedRules(settings.ledgerDir),
    onChange: () => {
      log.info("Multus' rules on this node changed");
      enqueueAllWithNetworks();
    },
    onForgetful: (error) => log.warn({ err: error }, "Multus' rules cannot be remembered"),
  });
  const nodeNetwork = new NodeNetwork({
    ...settings,
    name: settings.nodeNetwork,
    // The kubelet tells every pod the addresses of its node: the agent needs no right to read nodes.
    addresses: () => pods.find(podKey(settings.podNamespace, settings.podName))?.hostIps ?? [],
    write: writeDurably,
  });

  const creation = makeCreationCache(settings.multusCacheDir);
  const reconcilePod = makeReconcilePod({
    pods,
    networks,
    sandboxes: new SandboxLookup({ runtime, findNetns: creation.findNetns }),
    delegate,
    ledger,
    writeStatus: async (pod, change, signal) => pods.accept(await writePodStatus(pod, change, signal)),
    events: {
      onPod: ({ namespace, name, uid, resourceVersion }, event) =>
        recorder.record({ kind: 'Pod', namespace, name, uid, resourceVersion }, event),
      onNode,
    },
    nodeConfig: nodeConfigOf(settings, nodeNetworks, nodeNetwork),
    creation,
    retries,
    drift,
    self: { namespace: settings.podNamespace, name: settings.podName, uid: settings.podUid },
    deviceAttachments: settings.deviceAttachments,
    settleMs: settings.multusTimeout,
    now: Date.now,
  });

  const queue = new KeyedQueue<PodKey>({
    concurrency: settings.concurrency,
    backoff,
    now: monotonicMs,
    work: (key, signal) =>
      reconcilePod(key, log.child({ pod: key, podUid: pods.find(key)?.uid, reconcileId: randomUUID() }), signal),
    onOutcome: (key, outcome, attempt) => {
      metrics.reconciled(outcome.kind);
      if (outcome.kind !== 'done') log.debug({ pod: key, outcome, attempt }, 'reconcile ended');
    },
    onBug: (key, error) => {
      metrics.bug();
      log.error({ pod: key, err: error }, 'reconcile failed unexpectedly');
    },
  });

  const isPodGone = (record: PodRecord): boolean =>
    pods.find(podKey(record.namespace, record.name))?.uid !== record.uid;
  const metrics = createAgentMetrics({
    records: () => ledger.list(),
    queue: () => queue,
    waitingForRetry: () => retries.size,
    pods: () => pods.list().length,
    isPodGone,
  });
  const telemetry = await startTelemetryServer({
    ...settings.listen,
    registry: metrics.registry,
    ledger: () => listLedger(ledger.list(), isPodGone),
    addresses: async () => {
      const reservations = await listReservations(settings.hostLocalDir);
      return describeAddresses(
        reservations,
        await runtime.sandboxIds(AbortSignal.timeout(settings.criTimeout)),
        Date.now(),
      );
    },
    readiness: makeReadiness(
      [
        { name: 'apiServer', probe: () => demand(pods.reflector.isConnected, 'the watch of pods is not connected') },
        {
          name: 'networks',
          probe: () =>
            demand(networks.reflector.isConnected, 'the watch of NetworkAttachmentDefinitions is not connected'),
        },
        { name: 'multus', probe: (signal) => delegate.probe(signal) },
        { name: 'containerRuntime', probe: async (signal) => void (await runtime.version(signal)) },
      ],
      monotonicMs,
    ),
  });

  for (const { file, setAsideAs, error } of corrupt) {
    log.error({ file, setAsideAs, err: error }, 'ledger file set aside');
    onNode({
      reason: 'LedgerCorrupt',
      message: `${file} cannot be read and was set aside as ${setAsideAs}; interfaces of that pod may have to be released by hand`,
    });
  }
  pods.reflector.start();
  networks.reflector.start();
  const driftTimer = startDriftTicks();
  const stopNodeLook = lookRepeatedly({
    intervalMs: NODE_LOOK_MS,
    random: Math.random,
    look: () => Promise.all([nodeNetworks.look(), publishNodeNetwork()]),
    onError: (error) => log.warn({ err: error }, 'files of the node cannot be read or written'),
  });
  void Promise.all([pods.reflector.synced, networks.reflector.synced]).then(() => {
    isStarted = true;
    const keys = new Set([
      ...pods.list().map(({ key }) => key),
      ...ledger.list().map(({ namespace, name }) => podKey(namespace, name)),
    ]);
    log.info({ pods: pods.list().length, recorded: ledger.list().length }, 'agent started');
    for (const key of keys) enqueue(key);
  });

  /** A network that appeared or changed may be what a pod waits for. */
  function enqueueUsersOf(network: NetworkName): void {
    if (!isStarted) return;
    for (const key of retries.wakeNetwork(network)) enqueue(key);
    const name = splitName(network)?.name ?? '';
    for (const pod of pods.list()) if (pod.networksText?.includes(name)) enqueue(pod.key);
  }

  /** Only where somebody wants it: nodes of clusters without such a network get no file. */
  async function publishNodeNetwork(): Promise<void> {
    if (settings.nodeNetwork === '' || !isStarted) return;
    const means = (network: NetworkName) => splitName(network)?.name === settings.nodeNetwork;
    await nodeNetwork.publish(networks.reflector.list().some(({ network }) => means(network)));
  }

  /** What a rule forbade may be allowed now. */
  function enqueueAllWithNetworks(): void {
    for (const pod of pods.list()) if (pod.networksText) enqueue(pod.key);
  }

  function startDriftTicks(): NodeJS.Timeout | undefined {
    if (settings.checkInterval === 0) return undefined;
    const look = () => {
      drift.retain(new Set(pods.list().map(({ uid }) => uid)));
      for (const pod of pods.list()) if (pod.networksText && drift.isDue(pod.uid)) enqueue(pod.key);
    };
    return setInterval(look, Math.max(20, settings.checkInterval / DRIFT_TICKS_PER_INTERVAL));
  }

  return {
    telemetryPort: telemetry.port,
    stop: async () => {
      log.info({ inFlight: queue.processing }, 'shutting down');
      isStarted = false;
      clearInterval(driftTimer);
      stopNodeLook();
      await Promise.all([pods.reflector.stop(), networks.reflector.stop(), queue.close(settings.shutdownTimeout)]);
      await recorder.flush(1000);
      await telemetry.close();
      delegate.close();
      client.close();
      runtime.close();
      hold.release();
      log.info('stopped');
    },
  };
};

const nodeConfigOf = (
  settings: AgentSettings,
  node: NodeNetworks,
  nodeNetwork: NodeNetwork,
): AgentDeps['nodeConfig'] => {
  const { namespaceIsolation, globalNamespaces } = settings;
  return {
    findConfig: (name) => (name !== '' && name === settings.nodeNetwork ? nodeNetwork.config() : node.findConfig(name)),
    rules: async () => {
      const followed = await node.rules();
      const defaultNetworks = new Set([...followed.defaultNetworks, ...settings.defaultNetworks]);
      if (namespaceIsolation === 'follow') return { ...followed, defaultNetworks };
      return { isNamespaceIsolated: namespaceIsolation === 'on', globalNamespaces, defaultNetworks };
    },
  };
};

/** Delays must not depend on the wall clock, which somebody may set. */
const monotonicMs = (): number => performance.now();

const demand = (isMet: boolean, message: string): void => {
  if (!isMet) throw new Error(message);
};
