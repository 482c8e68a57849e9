// The embedded cluster: an API server and a node in this process, on real sockets, for the demo and the fast tests.
// Promises: the roles of the product run against it unchanged, with a kubeconfig file and two unix sockets; what it
// simulates is driven by changes, not by time; after `stop` no server, socket or file of it is left.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerOptions, type EmbeddedApiServer, startApiServer } from './api/api-server.ts';
import type { KubeObject, ObjectStore } from './api/object-store.ts';
import { type EmbeddedNode, type NodeOptions, startNode } from './node/embedded-node.ts';
import { type JsonObject, objectAt, stringAt } from './node/json-values.ts';
import type { Link } from './node/kernel.ts';
import type { PodRef } from './node/kubelet.ts';
import { findLeaks, type Leak } from './node/leaks.ts';
import {
  type NetworkStatusEntry,
  networkStatusAnnotation,
  networksAnnotation,
  parseNetworkStatus,
} from './node/network-status.ts';
import { networksText, type PodOptions, podManifest } from './node/pod-manifest.ts';
import { startScheduler } from './node/scheduler.ts';
import { type Predicate, waitUntil } from './node/until.ts';

export interface EmbeddedClusterOptions extends NodeOptions {
  readonly nodeName?: string;
  readonly api?: ApiServerOptions;
  readonly namespaces?: readonly string[];
}

export interface NadOptions {
  readonly name: string;
  readonly namespace?: string;
  /** The CNI config: its text, or an object to be written as JSON. */
  readonly config: string | JsonObject;
  readonly resourceName?: string;
}

export interface EmbeddedCluster extends Omit<EmbeddedNode, 'stop'> {
  readonly dir: string;
  readonly kubeconfigPath: string;
  readonly tokenPath: string;
  readonly token: string;
  readonly api: EmbeddedApiServer;
  readonly objects: ObjectStore;
  /** The first one is the cluster's own `kernel`, `multus` and so on. */
  readonly nodes: readonly EmbeddedNode[];
  /** In whose name the agent cleans up after pods that are gone. */
  readonly agentPod: PodRef & { readonly uid: string };
  addNode(nodeName: string, options?: NodeOptions): Promise<EmbeddedNode>;
  createNad(options: NadOptions): KubeObject;
  /** Resolves when it runs, with its network-status; at once for a pod that no node of ours will start, or without `wait`. */
  createPod(options: PodOptions): Promise<KubeObject>;
  /** Writes the networks annotation, or removes it. */
  editNetworks(ref: PodRef, networks: string | readonly JsonObject[] | undefined): KubeObject;
  /** Throws if there is none. */
  pod(ref: PodRef): KubeObject;
  networkStatus(ref: PodRef): NetworkStatusEntry[];
  /** The interfaces in the pod's present namespace, but for `lo`; none without a sandbox. */
  links(ref: PodRef): Link[];
  events(ref: PodRef): KubeObject[];
  /** Resolves when the object is gone; with `force` it goes at once and the node cleans up afterwards. */
  deletePod(ref: PodRef, options?: { force?: boolean }): Promise<void>;
  /** A throwing predicate counts as "not yet". */
  until<T>(description: string, predicate: Predicate<T>, timeoutMs?: number): Promise<T>;
  leaks(): Leak[];
  stop(): Promise<void>;
}

const defaultNodeName = 'node-a';
/** What is waited for takes milliseconds; the rest is for machines with other work to do. */
const defaultTimeoutMs = 30_000;
const agentNamespace = 'dynamic-networks';

const makeDir = (): string => mkdtempSync(join(tmpdir().length > 40 ? '/tmp' : tmpdir(), 'dn-'));

const ensureNamespace = (store: ObjectStore, name: string): void => {
  if (store.find({ resource: 'namespaces', name }) !== undefined) return;
  const labels = { 'kubernetes.io/metadata.name': name };
  store.create('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
    status: { phase: 'Active' },
  });
};

export const startEmbeddedCluster = async (options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> => {
  const dir = makeDir();
  const api = await startApiServer(options.api);
  const store = api.objects;
  for (const name of ['default', 'kube-system', agentNamespace, ...(options.namespaces ?? [])]) {
    ensureNamespace(store, name);
  }
  const nodes: EmbeddedNode[] = [];
  const addNode = async (nodeName: string, nodeOptions: NodeOptions = {}): Promise<EmbeddedNode> => {
    const place = { nodeName, hostIp: `192.168.1.${10 + nodes.length}`, dir: join(dir, `n${nodes.length}`), store };
    const added = await startNode(place, nodeOptions);
    nodes.push(added);
    return added;
  };
  const node = await addNode(options.nodeName ?? defaultNodeName, options);
  const stopScheduler = startScheduler(store, () => nodes.map((each) => each.nodeName));

  const token = options.api?.tokens?.[0] ?? 'embedded-admin';
  const [kubeconfigPath, tokenPath] = [join(dir, 'kubeconfig'), join(dir, 'token')];
  writeFileSync(kubeconfigPath, api.kubeconfig({ token }), { mode: 0o600 });
  writeFileSync(tokenPath, token, { mode: 0o600 });

  const pod = ({ namespace, name }: PodRef): KubeObject => {
    const found = store.find({ resource: 'pods', namespace, name });
    if (found === undefined) throw new Error(`no such pod: ${namespace}/${name}`);
    return found;
  };
  const nodeOf = (ref: PodRef): EmbeddedNode | undefined => {
    const found = store.find({ resource: 'pods', ...ref });
    return nodes.find((each) => each.nodeName === stringAt(found?.spec, 'nodeName'));
  };
  const networkStatus = (ref: PodRef): NetworkStatusEntry[] =>
    parseNetworkStatus(pod(ref).metadata.annotations?.[networkStatusAnnotation]);
  const leaks = (): Leak[] => findLeaks(nodes, store);

  const createPod = async (podOptions: PodOptions): Promise<KubeObject> => {
    const ref = { namespace: podOptions.namespace ?? 'default', name: podOptions.name };
    ensureNamespace(store, ref.namespace);
    const created = store.create('pods', podManifest(podOptions, node.nodeName));
    const host = nodeOf(ref);
    if (host === undefined || podOptions.wait === false) return created;
    await within(defaultTimeoutMs, host.kubelet.whenRunning(ref), () => describeWorld(store, leaks()));
    return pod(ref);
  };
  const subscribe = (listener: () => void): (() => void) => {
    const sources = nodes.flatMap((each) => [each.kernel, each.ipam]);
    const ends = [store.subscribe(listener), ...sources.map((source) => source.subscribe(listener))];
    return () => {
      for (const end of ends) end();
    };
  };
  const until = <T>(description: string, predicate: Predicate<T>, timeoutMs = defaultTimeoutMs): Promise<T> =>
    waitUntil(description, predicate, { timeoutMs, subscribe, describe: () => describeWorld(store, leaks()) });

  const agent = await createPod({
    namespace: agentNamespace,
    name: `dynamic-networks-agent-${Math.random().toString(36).slice(2, 7).padEnd(5, '0')}`,
    labels: { 'app.kubernetes.io/name': 'dynamic-networks', 'app.kubernetes.io/component': 'agent' },
    containers: ['agent'],
  });

  const { stop: _stop, ...firstNode } = node;
  return {
    ...firstNode,
    dir,
    kubeconfigPath,
    tokenPath,
    token,
    api,
    objects: store,
    nodes,
    agentPod: { namespace: agentNamespace, name: agent.metadata.name, uid: agent.metadata.uid },
    addNode,
    createNad: ({ name, namespace = 'default', config, resourceName }) => {
      ensureNamespace(store, namespace);
      return store.create('network-attachment-definitions', {
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: {
          name,
          namespace,
          ...(resourceName && { annotations: { 'k8s.v1.cni.cncf.io/resourceName': resourceName } }),
        },
        spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
      });
    },
    createPod,
    editNetworks: (ref, networks) =>
      store.modify({ resource: 'pods', ...ref }, (draft) => {
        const { [networksAnnotation]: _old, ...others } = draft.metadata.annotations ?? {};
        const edited = networks === undefined ? {} : { [networksAnnotation]: networksText(networks) };
        draft.metadata.annotations = { ...others, ...edited };
      }),
    pod,
    networkStatus,
    links: (ref) => {
      const host = nodeOf(ref);
      const netns = host?.kubelet.findSandbox(ref)?.netns ?? '';
      if (host === undefined || !host.kernel.hasNetns(netns)) return [];
      return host.kernel.links(netns).filter((link) => link.type !== 'loopback');
    },
    events: ({ namespace, name }) =>
      store.list('events', namespace).filter((event) => stringAt(objectAt(event, 'involvedObject'), 'name') === name),
    deletePod: async (ref, { force = false } = {}) => {
      const { uid } = pod(ref).metadata;
      store.remove({ resource: 'pods', ...ref }, { uid, ...(force && { gracePeriodSeconds: 0 }) });
      const isGone = (): boolean => store.find({ resource: 'pods', ...ref })?.metadata.uid !== uid;
      await until(`pod ${ref.namespace}/${ref.name} is gone`, isGone);
    },
    until,
    leaks,
    stop: async () => {
      stopScheduler();
      await Promise.all([api.stop(), ...nodes.map((each) => each.stop())]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** Not `until`: a predicate per pod, evaluated at every change, would make a burst of pods quadratic. */
const within = async <T>(timeoutMs: number, work: Promise<T>, describe: () => string): Promise<T> => {
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    tooLate.reject(new Error(`the pod does not run after ${timeoutMs} ms\n${describe()}`));
  }, timeoutMs);
  try {
    return await Promise.race([work, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
};

const describeWorld = (store: ObjectStore, leaks: readonly Leak[]): string => {
  const pods = store.list('pods').map(({ metadata, status }) => {
    const entries = parseNetworkStatus(metadata.annotations?.[networkStatusAnnotation]);
    const deleting = metadata.deletionTimestamp === undefined ? '' : ' (terminating)';
    const reported = entries.map((entry) => `${entry.interface}=${entry.name}`).join(' ');
    const wanted = metadata.annotations?.[networksAnnotation] ?? '';
    return `${metadata.namespace}/${metadata.name} ${status?.['phase']}${deleting} reports [${reported}] wants ${wanted}`;
  });
  const events = store
    .list('events')
    .slice(-10)
    .map((event) => `${event['reason']}: ${event['message']}`);
  const found = leaks.map((leak) => JSON.stringify(leak));
  return ['pods:', ...pods, 'last events:', ...events, 'leaks:', ...found].join('\n  ');
};
