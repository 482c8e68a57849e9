// A namespace with two networks and some pods, what each pod is asked to have, and the check that everything agrees: over
// many pods at once, which the fixture of the stories looks at one by one.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectApi } from '../api-client.ts';
import { makeNodeTools, type NodeTools } from '../cluster/node-tools.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import { attachCluster, type StartedCluster } from '../cluster/started-cluster.ts';
import { podDeadlineMs } from '../fixture.ts';
import { agentNamespace, agentSelector } from '../install-agent.ts';
import { bridgeNetwork, poolOnlyNetwork } from '../networks.ts';
import { attachNodes, makeNodeExec } from '../node-exec.ts';
import { poolsPath } from '../node-state.ts';
import { networksAnnotation, type Pod, podMetadata, podSpec, podsPath } from '../pods.ts';
import { type Kubectl, makeKubectl } from '../target.ts';
import { type Interfaces, problemsOf, type World } from './invariant.ts';
import { type HeldAddress, lookAtNode } from './node-snapshot.ts';
import { viewOf } from './pod-view.ts';

export type FaultWorld = Awaited<ReturnType<typeof startWorld>>;

type Pools = {
  readonly items: readonly {
    readonly spec: {
      readonly range: string;
      readonly allocations: Readonly<Record<string, { id: string; ifname: string; podref: string }>>;
    };
  }[];
};

const convergeDeadlineMs = 90_000;

/**
 * `range`: second octet of the addresses, one number per file. The network `local` has addresses per node, `wide` has
 * addresses of the whole cluster.
 */
export const startWorld = async ({ name: story, range }: { readonly name: string; readonly range: number }) => {
  const target = inject('target');
  const { nodeNames } = target;
  const nodeExec = makeNodeExec(target, await attachNodes(target));
  const cluster = target.clusterState === undefined ? undefined : await attachCluster(target.clusterState);
  const kubectl = makeKubectl(target);
  const api = connectApi(target);
  const namespace = `faults-${story}-${randomBytes(2).toString('hex')}`;
  const wanted = new Map<string, Interfaces>();
  const inNamespace = (...args: string[]): string[] => ['-n', namespace, ...args];
  const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

  const pods = async (): Promise<readonly Pod[]> =>
    (await api.get<{ items: readonly Pod[] }>(podsPath(namespace))).items;

  const look = async (): Promise<World> => {
    const [items, pools, nodes] = await Promise.all([
      pods(),
      api.get<Pools>(poolsPath),
      Promise.all(nodeNames.map((node) => lookAtNode(nodeExec, node, namespace))),
    ]);
    return { pods: items.map(viewOf), nodes, held: heldIn(pools, namespace) };
  };

  const problems = async (): Promise<readonly string[]> => problemsOf(await look(), wanted);

  /** What each pod is to have from now on: one request per pod, one after the other. */
  const edit = async (edits: Readonly<Record<string, Interfaces>>): Promise<void> => {
    for (const [name, interfaces] of Object.entries(edits)) wanted.set(name, interfaces);
    const items = Object.entries(edits).map(([name, interfaces]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, annotations: { [networksAnnotation]: annotationOf(interfaces) } },
    }));
    const command = ['apply', '--server-side', '--force-conflicts', '--field-manager=faults', '--filename', '-'];
    await kubectl.run(command, listOf(items));
  };

  const createPods = async (names: readonly string[], nodeOf: NodeChoice): Promise<void> => {
    for (const name of names) wanted.set(name, {});
    const items = names.map((name, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, ...podMetadata({}) },
      spec: podSpec(target.podImage, { node: nodeOf(nodeNames, index) }),
    }));
    await kubectl.run(['create', '--filename', '-'], listOf(items));
    const wait = ['--for=condition=Ready', `--timeout=${podDeadlineMs / 1000}s`];
    await kubectl.run(inNamespace('wait', ...names.map((name) => `pod/${name}`), ...wait));
  };

  const deletePods = async (names: readonly string[], ...flags: string[]): Promise<void> => {
    for (const name of names) wanted.delete(name);
    await kubectl.run(inNamespace('delete', 'pods', ...names, '--wait=false', ...flags));
  };

  /** Waits until everything agrees; the error says what does not. */
  const converges = async (context: string, deadlineMs = convergeDeadlineMs): Promise<void> => {
    let last: readonly string[] = [];
    const agree = async () => {
      last = await problems();
      return last.length === 0 ? true : undefined;
    };
    await pollUntil('everything to agree', agree, { deadlineMs }).catch(async (error: unknown) => {
      throw new Error([`${context}:`, ...last, ...(await testimony())].join('\n  '), { cause: error });
    });
  };

  /** What the pods tell of themselves, and the agents of their work: the nodes' logs are far from who reads the error. */
  const testimony = async (): Promise<readonly string[]> => {
    const told = pods().then((items) => items.map(({ metadata, status }) => JSON.stringify({ ...metadata, status })));
    const logs = kubectl.try(['-n', agentNamespace, 'logs', `--selector=${agentSelector}`, '--prefix', '--tail=20']);
    return [...(await told.catch((error) => [String(error)])), ...(await logs).stdout.split('\n')];
  };

  await createNamespace(kubectl, namespace);
  const local = bridgeNetwork('local', { story, namespace, prefix: `10.${range}.0.` });
  await kubectl.apply(local.manifest);
  await kubectl.apply(poolOnlyNetwork('wide', { story, namespace, prefix: `10.${range}.1.` }).manifest);

  return {
    /** A node's files, containers and sandboxes. */
    host: (node: string): NodeTools => makeNodeTools(node, (command) => nodeExec(node, command)),
    /** The nodes as machines, with their services: only where `hasNodeAccess`. */
    get cluster(): StartedCluster {
      if (cluster === undefined) throw new Error('this fault needs nodes of the harness: skip it where there are none');
      return cluster;
    },
    kubectl,
    nodeExec,
    nodeNames,
    namespace,
    local,
    pods,
    look,
    problems,
    edit,
    createPods,
    deletePods,
    converges,
    /** They are gone, or going, by somebody else's hand. */
    forgetPods: (names: readonly string[]): void => {
      for (const name of names) wanted.delete(name);
    },
    uidOf: async (name: string): Promise<string> => {
      const pod = (await pods()).find(({ metadata }) => metadata.name === name);
      if (pod === undefined) throw new Error(`no pod ${name} in ${namespace}`);
      return pod.metadata.uid;
    },
    /** Every pod goes, and then nothing may be left anywhere. */
    close: async (): Promise<void> => {
      wanted.clear();
      await kubectl.run(inNamespace('delete', 'pods', '--all', '--wait=false'));
      await converges('after all pods were deleted', podDeadlineMs);
      await kubectl.run(['delete', 'namespace', namespace, '--wait=false']);
    },
  };
};

/** Returns when pods can be made in it, which takes a controller that is at work. */
export const createNamespace = async (kubectl: Kubectl, name: string, deadlineMs = podDeadlineMs): Promise<void> => {
  await kubectl.run(['create', 'namespace', name]);
  const account = ['-n', name, 'get', 'serviceaccount', 'default'];
  const hasAccount = async () => ((await kubectl.try(account)).exitCode === 0 ? true : undefined);
  await pollUntil(`the service account of namespace ${name}`, hasAccount, { deadlineMs });
};

type NodeChoice = (nodeNames: readonly string[], index: number) => string;

/** The one that has no control plane, where there are two. */
export const onWorker: NodeChoice = (nodeNames) => nodeNames.at(-1) ?? '';
/** One after the other, the worker first. */
export const everywhere: NodeChoice = (nodeNames, index) => nodeNames.at(-1 - (index % nodeNames.length)) ?? '';

const annotationOf = (interfaces: Interfaces): string =>
  Object.entries(interfaces)
    .map(([name, network]) => `${network}@${name}`)
    .join(',');

/** A pool counts from the first address of its range. */
const heldIn = (pools: Pools, namespace: string): HeldAddress[] =>
  pools.items.flatMap(({ spec }) =>
    Object.entries(spec.allocations)
      .filter(([, { podref }]) => podref.startsWith(`${namespace}/`))
      .map(([offset, { id, ifname }]) => ({
        address: `${spec.range.split('.').slice(0, 3).join('.')}.${offset}`,
        containerId: id,
        interface: ifname,
      })),
  );
