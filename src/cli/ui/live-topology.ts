// The cluster's networks, kept up to date by watches, and told to whoever listens. Promises: a listener first gets everything,
// then only what changed; changes of one moment arrive together; what the person may not read is left out, and named.
import { viewNetworkDefinition } from '../../kube/network-definition-view.ts';
import { viewClusterPod } from '../gather/cluster-pod.ts';
import { collectionPath, NETWORKS, NODES, PODS, VMS } from '../gather/resources.ts';
import { describeNetworks } from '../logic/network-users.ts';
import { describePodNetworks, hasNetworks } from '../logic/pod-networks.ts';
import type { Session } from '../session.ts';
import { viewNode, viewVm } from './machine-views.ts';
import type { TopologyMessage, TopologyNetwork, TopologyNode, TopologyPod, TopologyVm } from './topology.ts';
import { type Viewed, WatchedPart } from './watched-part.ts';

export interface LiveTopologyOptions {
  readonly client: Session['client'];
  readonly cluster: string;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
}

type Listener = (message: TopologyMessage) => void;

const BATCH_MS = 100;
const RECHECK_MS = 500;

export class LiveTopology {
  readonly #options: LiveTopologyOptions;
  readonly #listeners = new Set<Listener>();
  readonly #pods: WatchedPart<TopologyPod>;
  readonly #networks: WatchedPart<TopologyNetwork>;
  readonly #nodes: WatchedPart<TopologyNode>;
  readonly #vms: WatchedPart<TopologyVm>;
  /** Set while news wait to be told together. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveTopologyOptions) {
    const { client, namespace } = options;
    const common = { client, onNews: () => this.#announceSoon() };
    this.#options = options;
    this.#pods = new WatchedPart({
      ...common,
      name: 'pods',
      path: collectionPath(PODS, namespace),
      view: viewPodPart,
      isOptional: false,
    });
    this.#networks = new WatchedPart({
      ...common,
      name: 'networks',
      path: collectionPath(NETWORKS, namespace),
      view: viewNetworkPart,
      isOptional: true,
    });
    this.#nodes = new WatchedPart({
      ...common,
      name: 'nodes',
      path: collectionPath(NODES),
      view: viewNode,
      isOptional: false,
    });
    this.#vms = new WatchedPart({
      ...common,
      name: 'virtual machines',
      path: collectionPath(VMS, namespace),
      view: viewVm,
      isOptional: true,
    });
  }

  get #parts() {
    return [this.#pods, this.#networks, this.#nodes, this.#vms];
  }

  start(): void {
    for (const { reflector } of this.#parts) reflector.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    await Promise.all(this.#parts.map(({ reflector }) => reflector.stop()));
  }

  /** Returns the function that ends it. */
  subscribe(listener: Listener): () => void {
    const { cluster, namespace } = this.#options;
    listener({
      type: 'snapshot',
      cluster,
      ...(namespace !== undefined && { namespace }),
      parts: {
        pods: this.#pods.all(),
        networks: this.#networks.all(),
        nodes: this.#nodes.all(),
        vms: this.#vms.all(),
      },
    });
    listener(this.#health());
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announceSoon(delayMs = BATCH_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#announce();
    }, delayMs);
  }

  #announce(): void {
    const hasChanges = this.#parts.some((part) => part.hasChanges);
    const parts = {
      pods: this.#pods.takeChanges(),
      networks: this.#networks.takeChanges(),
      nodes: this.#nodes.takeChanges(),
      vms: this.#vms.takeChanges(),
    };
    const health = this.#health();
    for (const listener of this.#listeners) {
      if (hasChanges) listener({ type: 'change', parts });
      listener(health);
    }
    // That a watch is connected again is no news that anybody brings: so it is looked for.
    if (health.problems.length > 0) this.#announceSoon(RECHECK_MS);
  }

  #health(): Extract<TopologyMessage, { readonly type: 'health' }> {
    return { type: 'health', problems: this.#parts.flatMap(({ problem }) => problem ?? []) };
  }
}

const viewPodPart = (object: unknown): Viewed<TopologyPod> | undefined => {
  const seen = viewClusterPod(object);
  if (seen === undefined) return undefined;
  const described = describePodNetworks(seen);
  const { namespace, pod: name, node = '', interfaces, phase, vm, ready, reason, message } = described;
  const part: TopologyPod = {
    key: seen.pod.key,
    namespace,
    name,
    node,
    phase,
    interfaces,
    ...(vm !== undefined && { vm }),
    ...(ready !== undefined && { ready }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  // Pods without secondary networks are followed, because they may get one.
  return { resourceVersion: seen.resourceVersion, key: seen.pod.key, part: hasNetworks(described) ? part : undefined };
};

const viewNetworkPart = (object: unknown): Viewed<TopologyNetwork> | undefined => {
  const seen = viewNetworkDefinition(object);
  const [described] = seen === undefined ? [] : describeNetworks([seen], []);
  if (seen === undefined || described === undefined) return undefined;
  const { users: _users, notReady: _notReady, namespace: _namespace, name: _name, ...facts } = described;
  const part: TopologyNetwork = { key: seen.network, ...facts };
  return { resourceVersion: seen.resourceVersion, key: seen.network, part };
};
