// What a story needs: a namespace of its own, networks and pods in it, and questions about them. `withNamespace` registers
// hooks: after each test nothing may be left over that no pod has; at the end all pods go, and nothing at all may be left.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { connectApi } from './api-client.ts';
import type { ClusterNode } from './cluster/node.ts';
import { makeNodeTools, type NodeTools } from './cluster/node-tools.ts';
import { pollUntil } from './cluster/poll-until.ts';
import { expectInterfaces, expectNothingLeft, explained, type Wanted } from './expectations.ts';
import { agentDaemonSet, agentNamespace, agentSelector } from './install-agent.ts';
import { type Network, type NetworkPlace, networkPath } from './networks.ts';
import { attachNodes, makeNodeExec, type NodeExec } from './node-exec.ts';
import { readAddresses, readLedger } from './node-state.ts';
import { execInPod, readPodLinks } from './pod-links.ts';
import {
  annotationText,
  type Condition,
  type Networks,
  networksAnnotation,
  obedientCommand,
  type Pod,
  type PodOptions,
  type PodRef,
  podMetadata,
  podSpec,
  podsPath,
  readyCondition,
  refOf,
  reportsOf,
  type StatusEntry,
  statusAnnotation,
} from './pods.ts';
import { makeKubectl, storyLabels } from './target.ts';

const target = inject('target');

/** For `it.skipIf(!hasNodeAccess)`: nodes can be restarted and set up otherwise only where they are containers of the harness. */
export const hasNodeAccess = target.clusterState !== undefined;
/** The audit log of the API server, which is one of the harness. */
export const hasAuditLog = hasNodeAccess;
export const { canBuild } = target;
/** Where KubeVirt can be brought up, `withVirtualMachines` does. */
export const canHaveVirtualMachines = canBuild && target.canHaveKubeVirt;
export const hasTwoNodes = target.nodeNames.length > 1;

export const podDeadlineMs = 60_000;
/** Plugs take a fraction of a second; the rest is for busy machines. */
export const plugDeadlineMs = 30_000;

export type EventOnPod = {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly count?: number;
  readonly source?: { readonly component?: string };
};

export type Story = ReturnType<typeof withNamespace>;

/** `subnet`: the second octet of the story's address ranges, 10.<subnet>.0.0/16; one number per file. */
export const withNamespace = (story: string, subnet: number) => {
  const namespace = `e2e-${story}-${randomBytes(2).toString('hex')}`;
  const kubectl = makeKubectl(target);
  const api = connectApi(target);
  const { nodeNames } = target;
  const networks: Network[] = [];
  let clusterNodes: readonly ClusterNode[] = [];
  let nodeExec: NodeExec = () => Promise.reject(new Error('before the hooks of the story'));
  let running = 0;

  const sources = () => ({ api, nodeExec, nodeNames });
  const inNamespace = (...args: string[]): string[] => ['-n', namespace, ...args];
  const nodeAt = (index: number): string => nodeNames.at(index) ?? '';
  const nothingLeft = () => expectNothingLeft(sources(), namespace, networks, plugDeadlineMs);
  const podPath = ({ name }: { readonly name: string }): string => `${podsPath(namespace)}/${name}`;
  const getPod = (pod: { readonly name: string }) => api.get<Pod>(podPath(pod));
  /** `null` removes one. */
  const annotatePod = (pod: { readonly name: string }, annotations: Readonly<Record<string, string | null>>) =>
    api.mergePatch<Pod>(podPath(pod), { metadata: { annotations } });
  const applyNetwork = (network: Network) => api.apply(networkPath(network), network.manifest);

  const createPod = async (name: string, options: PodOptions = {}): Promise<void> => {
    const spec = podSpec(target.podImage, { node: nodeAt(-1), command: obedientCommand, ...options });
    const metadata = { name, namespace, ...podMetadata(options) };
    await api.create(podsPath(namespace), { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  };

  const isReady = (pod: Pod): boolean =>
    pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

  const findEvents = async (pod: PodRef, reason: string): Promise<readonly EventOnPod[]> => {
    const selector = encodeURIComponent(`involvedObject.uid=${pod.uid},reason=${reason}`);
    const events = `/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`;
    const { items } = await api.get<{ items: EventOnPod[] }>(events);
    // Multus has an AddedInterface of its own.
    return items.filter(({ source }) => source?.component === 'dynamic-networks');
  };

  const conditionOf = async (pod: PodRef): Promise<Condition | undefined> =>
    (await getPod(pod)).status.conditions?.find(({ type }) => type === readyCondition);

  beforeAll(async () => {
    clusterNodes = await attachNodes(target);
    nodeExec = makeNodeExec(target, clusterNodes);
    // The file before may have restarted nodes.
    const rollout = ['rollout', 'status', `daemonset/${agentDaemonSet}`, `--timeout=${podDeadlineMs / 1000}s`];
    await kubectl.run(['-n', agentNamespace, ...rollout]);
    await api.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: storyLabels },
    });
    const account = () => api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    await pollUntil('the service account of the namespace', account, { deadlineMs: podDeadlineMs, intervalMs: 50 });
  });

  // While another test of the file runs, the world is allowed to be in motion; the last one to end looks.
  beforeEach(() => {
    running += 1;
  });
  afterEach(async () => {
    running -= 1;
    if (running === 0) await nothingLeft();
  });

  afterAll(async () => {
    try {
      await api.delete(`/apis/apps/v1/namespaces/${namespace}/statefulsets`);
      await api.delete(podsPath(namespace), { gracePeriodSeconds: 1 });
      const areGone = async () => {
        const { items } = await api.get<{ items: readonly Pod[] }>(podsPath(namespace));
        if (items.length > 0) throw new Error(`there are ${items.map(({ metadata }) => metadata.name).join(', ')}`);
        return true;
      };
      await explained(`all pods of ${namespace} to be gone`, areGone, podDeadlineMs);
      await nothingLeft();
    } finally {
      // It is waited for at the end of the run: meanwhile the next file can go on.
      await api.delete(`/api/v1/namespaces/${namespace}`);
    }
  });

  return {
    namespace,
    kubectl,
    api,
    /** Where pods go unless told otherwise, and another one. */
    node: nodeAt(-1),
    otherNode: nodeAt(0),
    podImage: target.podImage,

    /** Makes a network with a range of its own: `await story.network(bridgeNetwork, 'blue')`. */
    network: async (build: (name: string, place: NetworkPlace) => Network, name: string): Promise<Network> => {
      const network = build(name, { story, namespace, prefix: `10.${subnet}.${networks.length}.` });
      networks.push(network);
      await applyNetwork(network);
      return network;
    },
    /** The same, without creating it: for networks that come later. */
    plannedNetwork: (build: (name: string, place: NetworkPlace) => Network, name: string): Network => {
      const network = build(name, { story, namespace, prefix: `10.${subnet}.${networks.length}.` });
      networks.push(network);
      return network;
    },
    createNetwork: applyNetwork,
    deleteNetwork: (network: Network) => api.delete(networkPath(network)),

    createPod,
    /** Returns once it is Ready. */
    startPod: async (name: string, options: PodOptions = {}): Promise<PodRef> => {
      await createPod(name, options);
      const ready = async () => {
        const pod = await getPod({ name });
        if (isReady(pod)) return refOf(pod);
        throw new Error(`its status is ${JSON.stringify(pod.status)}`);
      };
      return explained(`pod ${name} to be Ready`, ready, podDeadlineMs);
    },
    getPod,
    deletePod: ({ name }: { readonly name: string }, ...flags: string[]) =>
      kubectl.run(inNamespace('delete', 'pod', name, ...flags)),
    /** `undefined` removes the annotation. */
    annotate: (pod: { readonly name: string }, wanted: Networks | undefined) =>
      annotatePod(pod, { [networksAnnotation]: wanted === undefined ? null : annotationText(wanted) }),
    annotatePod,

    /** What somebody else than the agent writes. */
    writeStatus: (pod: PodRef, entries: readonly StatusEntry[]) =>
      annotatePod(pod, { [statusAnnotation]: JSON.stringify(entries) }),

    links: (pod: PodRef) => readPodLinks(nodeExec, pod),
    exec: (pod: PodRef, command: readonly string[]) => execInPod(kubectl, pod, command),
    events: findEvents,
    reports: async (pod: PodRef) => reportsOf(await getPod(pod)),
    condition: conditionOf,
    addressesInUse: (network: Network) => readAddresses(sources(), network, nodeNames),
    ledgerOf: (node: string) => readLedger(nodeExec, node),

    /** The agent's pod on a node. */
    agentPod: async (node: string): Promise<PodRef> => {
      const selector = `labelSelector=${agentSelector}&fieldSelector=spec.nodeName=${node}`;
      const { items } = await api.get<{ items: Pod[] }>(`${podsPath(agentNamespace)}?${selector}`);
      const [pod] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (pod === undefined) throw new Error(`no agent on node ${node}`);
      return refOf(pod);
    },
    /** A node's files, containers and sandboxes. */
    host: (name: string): NodeTools => makeNodeTools(name, (command) => nodeExec(name, command)),
    /** The node as a machine, with its services; only with `hasNodeAccess`. */
    clusterNode: (name: string): ClusterNode => {
      const found = clusterNodes.find((node) => node.name === name);
      if (found === undefined)
        throw new Error(`no access to node ${name}: skip this test where hasNodeAccess is false`);
      return found;
    },

    /** Waits until kernel, network-status and address stores all say so; returns the links. */
    expectInterfaces: (pod: PodRef, wanted: Wanted, deadlineMs = plugDeadlineMs) =>
      expectInterfaces(sources(), pod, wanted, deadlineMs),
    expectEvent: (pod: PodRef, reason: string, message: RegExp = /(?:)/): Promise<EventOnPod> => {
      const find = async () => {
        const found = await findEvents(pod, reason);
        const match = found.find((event) => message.test(event.message));
        if (match === undefined) throw new Error(`there are: ${found.map((event) => event.message).join(' | ')}`);
        return match;
      };
      return explained(`an event ${reason} on ${pod.name} like ${message}`, find, plugDeadlineMs);
    },
    expectCondition: (pod: PodRef, status: 'True' | 'False', reason: string): Promise<Condition> => {
      const find = async () => {
        const condition = await conditionOf(pod);
        if (condition?.status === status && condition.reason === reason) return condition;
        throw new Error(`it is ${JSON.stringify(condition)}`);
      };
      return explained(`the condition of ${pod.name} to be ${status}, ${reason}`, find, plugDeadlineMs);
    },
    expectNothingLeft: nothingLeft,
    /** Waits until a network's store has exactly this many addresses. */
    expectAddresses: (network: Network, count: number) =>
      explained(
        `${network.fullName} to have ${count} addresses in use`,
        async () => {
          const inUse = await readAddresses(sources(), network, nodeNames);
          expect(inUse, JSON.stringify(inUse)).toHaveLength(count);
          return inUse;
        },
        plugDeadlineMs,
      ),
  };
};
