// A namespace with three networks and pods on one node, and what each pod is asked to have. Pods are kept from one scenario to
// the next: a node needs a minute or two for a hundred of them.
import { randomBytes } from 'node:crypto';
import { pollUntil } from '../../e2e/cluster/poll-until.ts';
import type { Interfaces } from '../../e2e/faults/invariant.ts';
import { bridgeNetwork, type Network } from '../../e2e/networks.ts';
import { networksAnnotation, podSpec, statusAnnotation, statusOf } from '../../e2e/pods.ts';
import type { Kubectl } from '../../e2e/target.ts';
import { type ApiClient, MAX_CONNECTIONS } from '../../src/kube/api-client.ts';
import type { Timing } from '../world.ts';
import { type PodWatch, watchPods } from './pod-watch.ts';

export interface NamespaceOptions {
  readonly kubectl: Kubectl;
  readonly client: ApiClient;
  readonly podImage: string;
  readonly nodeName: string;
}

const labels = { 'dynamic-networks.io/bench': 'pods' } as const;
const selector = 'dynamic-networks.io/bench=pods';
const accountDeadlineMs = 60_000;
const podsDeadlineMs = 600_000;
const story = 'bench';
/** Nobody reads the answers to the bench's own writes: they shall cost as little as can be. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** A pod that is created needs as much of a node as many that are plugged: never more at once than it can bear. */
const podsAtOnce = 50;

export type BenchNamespace = Awaited<ReturnType<typeof openNamespace>>;

export const openNamespace = async ({ kubectl, client, podImage, nodeName }: NamespaceOptions) => {
  const namespace = `bench-${randomBytes(2).toString('hex')}`;
  const networks: readonly Network[] = ['net0', 'net1', 'net2'].map((name, index) =>
    bridgeNetwork(name, { story, namespace, prefix: `10.240.${index}.` }),
  );
  // What an interrupted run left on a cluster that stays.
  await kubectl.run(['delete', 'namespaces', '-l', selector, '--ignore-not-found', '--timeout=300s']);
  await kubectl.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
  for (const { manifest } of networks) await kubectl.apply(manifest);
  const hasAccount = async () =>
    (await kubectl.try(['-n', namespace, 'get', 'serviceaccount', 'default'])).exitCode === 0 ? true : undefined;
  await pollUntil('the service account of the namespace', hasAccount, { deadlineMs: accountDeadlineMs });
  const watch: PodWatch = await watchPods(client, namespace);
  const wanted = new Map<string, Interfaces>();

  const createPods = async (names: readonly string[]): Promise<void> => {
    const spec = podSpec(podImage, { node: nodeName });
    for (let first = 0; first < names.length; first += podsAtOnce) {
      const some = names.slice(first, first + podsAtOnce);
      const items = some.map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec }));
      await kubectl.run(['create', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await watch.untilReady(some, { deadlineMs: podsDeadlineMs });
    }
    for (const name of names) wanted.set(name, {});
  };

  const deletePods = async (names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    for (const name of names) wanted.delete(name);
    await kubectl.run(['-n', namespace, 'delete', 'pods', ...names, '--wait=false']);
    await watch.untilGone(names, { deadlineMs: podsDeadlineMs });
  };

  /** Whoever edits has a connection usually; the handshakes of many at once would keep the API server from their edits. */
  const openConnections = async (edits: number): Promise<void> => {
    const length = Math.min(edits, MAX_CONNECTIONS);
    await Promise.all(Array.from({ length }, () => client.json({ method: 'GET', path: '/version' })));
  };

  /** Sends the edit and returns when the API server has it. */
  const ask = async (name: string, interfaces: Interfaces): Promise<void> => {
    wanted.set(name, interfaces);
    const list = Object.entries(interfaces).map(([ifname, network]) => ({ name: network, interface: ifname }));
    await client.json({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
      contentType: 'application/merge-patch+json',
      accept: metadataOnly,
      body: { metadata: { annotations: { [networksAnnotation]: JSON.stringify(list) } } },
    });
  };

  /** What a controller has to tell of it, with made-up addresses. */
  const report = async (name: string, interfaces: Interfaces): Promise<void> => {
    const own = statusOf(watch.get(name)).filter((entry) => entry.default === true);
    const plugged = Object.entries(interfaces).map(([ifname, network]) => ({
      name: `${namespace}/${network}`,
      interface: ifname,
      ips: ['10.240.0.1'],
      mac: '02:00:00:00:00:01',
      dns: {},
    }));
    await client.json({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      contentType: 'application/merge-patch+json',
      accept: metadataOnly,
      body: { metadata: { annotations: { [statusAnnotation]: JSON.stringify([...own, ...plugged]) } } },
    });
  };

  return {
    namespace,
    networks,
    watch,
    /** What each pod was asked to have last. */
    wanted: (): ReadonlyMap<string, Interfaces> => wanted,
    /** At least so many pods run; the first so many are returned. */
    ensurePods: async (count: number): Promise<readonly string[]> => {
      const names = Array.from({ length: count }, (_, index) => `pod-${index}`);
      await createPods(names.filter((name) => !wanted.has(name)));
      return names;
    },
    replacePods: async (names: readonly string[]): Promise<void> => {
      await deletePods(names);
      await createPods(names);
    },
    ask,
    openConnections,
    /** All pods at once; timed from each request to the status that shows its effect. */
    edit: async (edits: ReadonlyMap<string, Interfaces>, deadlineMs: number): Promise<Timing> => {
      await openConnections(edits.size);
      const askedAt = new Map<string, number>();
      const latenciesMs: number[] = [];
      const onSeen = (name: string): void =>
        void latenciesMs.push(performance.now() - (askedAt.get(name) ?? Number.NaN));
      const started = performance.now();
      const asked = [...edits].map(([name, interfaces]) => {
        askedAt.set(name, performance.now());
        return ask(name, interfaces);
      });
      await Promise.all([...asked, watch.untilReported(edits, { deadlineMs, onSeen })]);
      return { totalMs: performance.now() - started, latenciesMs };
    },
    /** Each pod edited, all at once, and its status written as soon as its edit is in; until a watch has seen that. */
    writeBarely: async (edits: ReadonlyMap<string, Interfaces>, deadlineMs: number): Promise<void> => {
      const written = [...edits].map(([name, interfaces]) =>
        ask(name, interfaces).then(() => report(name, interfaces)),
      );
      await Promise.all([...written, watch.untilReported(edits, { deadlineMs })]);
    },
    close: async (): Promise<void> => {
      await watch.stop();
      await kubectl.run(['delete', 'namespace', namespace, '--wait=false']);
    },
  };
};
