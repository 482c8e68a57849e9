// A namespace with two networks and some pods, what each pod is asked to have, and the check that everything agrees.
import * as z from 'zod';
import { busyboxImage } from '../cluster/images.ts';
import type { NodeName } from '../cluster/layout.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import type { StartedCluster } from '../cluster/started-cluster.ts';
import { type Interfaces, type PodView, problemsOf, type World } from './invariant.ts';
import { type HeldAddress, lookAtNode } from './node-snapshot.ts';

export type FaultWorld = Awaited<ReturnType<typeof startWorld>>;

export type WorldOptions = {
  /** Start of the namespace's name: what an earlier run left must not be taken for this one's. */
  readonly name: string;
  /** Second byte of the addresses, and part of the bridges' names: every file has its own. */
  readonly range: number;
};

const convergeDeadlineMs = 90_000;
const podDeadlineMs = 60_000;

const networksAnnotation = 'k8s.v1.cni.cncf.io/networks';

const podList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        uid: z.string(),
        deletionTimestamp: z.optional(z.string()),
        annotations: z.optional(z.record(z.string(), z.string())),
      }),
    }),
  ),
});
const networkStatus = z.array(
  z.object({
    name: z.string(),
    interface: z.optional(z.string()),
    ips: z.optional(z.array(z.string())),
    default: z.optional(z.boolean()),
  }),
);
const interfaceReports = z.array(
  z.object({ interface: z.string(), ready: z.boolean(), message: z.optional(z.string()) }),
);
const poolList = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        range: z.string(),
        allocations: z.record(z.string(), z.object({ id: z.string(), ifname: z.string(), podref: z.string() })),
      }),
    }),
  ),
});

/** `local`: a bridge with addresses per node. `wide`: a bridge with addresses of the whole cluster. */
const networkConfig = (namespace: string, range: number, kind: 'local' | 'wide'): object => ({
  cniVersion: '0.3.1',
  name: `${namespace}-${kind}`,
  type: 'bridge',
  bridge: `fault${range}${kind}`,
  ipam:
    kind === 'local'
      ? { type: 'host-local', subnet: `10.${range}.0.0/24` }
      : { type: 'whereabouts', range: `10.${range}.1.0/24` },
});

export const startWorld = async (cluster: StartedCluster, { name: worldName, range }: WorldOptions) => {
  const namespace = `${worldName}-${Date.now().toString(36)}`;
  const wanted = new Map<string, Interfaces>();

  const send = (command: readonly string[], items: readonly object[]): Promise<string> =>
    cluster.kubectl([...command, '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

  const defineNetwork = (name: string, config: object): Promise<string> =>
    send(
      ['apply'],
      [
        {
          apiVersion: 'k8s.cni.cncf.io/v1',
          kind: 'NetworkAttachmentDefinition',
          metadata: { name, namespace },
          spec: { config: JSON.stringify(config) },
        },
      ],
    );

  const pods = async () =>
    podList.parse(JSON.parse(await cluster.kubectl(['-n', namespace, 'get', 'pods', '-o', 'json']))).items;

  const look = async (): Promise<World> => {
    const running = cluster.nodes.map((node) => lookAtNode(node, { namespace, networkPrefix: `${namespace}-` }));
    const [items, pools, nodes] = await Promise.all([
      pods(),
      cluster.kubectl(['get', 'ippools.whereabouts.cni.cncf.io', '-A', '-o', 'json']),
      Promise.all(running),
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
    await send(['apply', '--server-side', '--force-conflicts', '--field-manager=faults'], items);
  };

  const createPods = async (
    created: Readonly<Record<string, NodeName>>,
    extra: { readonly interfaces?: Interfaces; readonly gracePeriodSeconds?: number } = {},
  ): Promise<void> => {
    const { interfaces = {}, gracePeriodSeconds = 1 } = extra;
    const items = Object.entries(created).map(([name, nodeName]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, annotations: { [networksAnnotation]: annotationOf(interfaces) } },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: gracePeriodSeconds,
        containers: [{ name: 'main', image: busyboxImage, imagePullPolicy: 'Never' }],
      },
    }));
    for (const name of Object.keys(created)) wanted.set(name, interfaces);
    await send(['create'], items);
    const names = Object.keys(created).map((name) => `pod/${name}`);
    const wait = ['wait', ...names, '--for=condition=Ready', `--timeout=${podDeadlineMs / 1000}s`];
    await cluster.kubectl(['-n', namespace, ...wait]);
  };

  const deletePods = async (names: readonly string[], ...flags: string[]): Promise<void> => {
    for (const name of names) wanted.delete(name);
    await cluster.kubectl(['-n', namespace, 'delete', 'pods', ...names, '--wait=false', ...flags]);
  };

  /** Waits until everything agrees; the error says what does not. */
  const converges = async (context: string, deadlineMs = convergeDeadlineMs): Promise<void> => {
    let last: readonly string[] = [];
    const agree = async () => {
      last = await problems();
      return last.length === 0 ? true : undefined;
    };
    await pollUntil('everything to agree', agree, { deadlineMs }).catch((error: unknown) => {
      throw new Error(`${context}:\n  ${last.join('\n  ')}`, { cause: error });
    });
  };

  const uidOf = async (name: string): Promise<string> => {
    const uid = (await pods()).find(({ metadata }) => metadata.name === name)?.metadata.uid;
    if (uid === undefined) throw new Error(`no pod ${name} in ${namespace}`);
    return uid;
  };

  await cluster.kubectl(['create', 'namespace', namespace]);
  const hasAccount = async () =>
    (await cluster.tryKubectl(['-n', namespace, 'get', 'serviceaccount', 'default'])).exitCode === 0 ? true : undefined;
  await pollUntil('the service account of the namespace', hasAccount, { deadlineMs: podDeadlineMs });
  await defineNetwork('local', networkConfig(namespace, range, 'local'));
  await defineNetwork('wide', networkConfig(namespace, range, 'wide'));

  return {
    cluster,
    namespace,
    range,
    wanted,
    defineNetwork,
    pods,
    uidOf,
    look,
    problems,
    edit,
    createPods,
    deletePods,
    converges,
    /** Every pod goes, and then nothing may be left anywhere. */
    close: async (): Promise<void> => {
      wanted.clear();
      await cluster.kubectl(['-n', namespace, 'delete', 'pods', '--all', '--wait=false']);
      await converges('after all pods were deleted', 60_000);
      await cluster.kubectl(['delete', 'namespace', namespace, '--wait=true', '--timeout=60s']);
    },
  };
};

const annotationOf = (interfaces: Interfaces): string =>
  Object.entries(interfaces)
    .map(([name, network]) => `${network}@${name}`)
    .join(',');

type PodObject = z.infer<typeof podList>['items'][number];

const viewOf = ({ metadata }: PodObject): PodView => {
  const annotation = (name: string): unknown => JSON.parse(metadata.annotations?.[name] ?? '[]');
  const entries = networkStatus.parse(annotation('k8s.v1.cni.cncf.io/network-status'));
  const reports = interfaceReports.parse(annotation('dynamic-networks.io/interfaces'));
  return {
    name: metadata.name,
    uid: metadata.uid,
    isTerminating: metadata.deletionTimestamp !== undefined,
    reported: Object.fromEntries(
      entries
        .filter((entry) => entry.default !== true)
        .map(({ name, interface: ifname = '', ips }) => [
          ifname,
          { network: name.split('/').at(-1) ?? name, address: ips?.[0] ?? 'nothing' },
        ]),
    ),
    notReady: reports.filter(({ ready }) => !ready).map((one) => `${one.interface}: ${one.message ?? 'no reason'}`),
  };
};

/** A pool counts from the first address of its range. */
const heldIn = (poolsText: string, namespace: string): HeldAddress[] =>
  poolList.parse(JSON.parse(poolsText)).items.flatMap(({ spec }) =>
    Object.entries(spec.allocations)
      .filter(([, { podref }]) => podref.startsWith(`${namespace}/`))
      .map(([offset, { id, ifname }]) => ({
        address: `${spec.range.split('.').slice(0, 3).join('.')}.${offset}`,
        containerId: id,
        interface: ifname,
      })),
  );
