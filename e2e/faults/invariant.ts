// What must hold once everything has calmed down, whatever was broken before: what a pod asks for, its network namespace,
// its network-status and the ledger agree, and no address is held by anybody else.
import type { LedgerRecord } from '../node-state.ts';
import type { HeldAddress, NodeSnapshot, SandboxSnapshot } from './node-snapshot.ts';

/** Interface to the network's name. */
export type Interfaces = Readonly<Record<string, string>>;

export type PodView = {
  readonly name: string;
  readonly uid: string;
  readonly isTerminating: boolean;
  /** Interface to network and address, without the default network. */
  readonly reported: Readonly<Record<string, { readonly network: string; readonly address: string }>>;
  readonly notReady: readonly string[];
};

export type World = {
  readonly pods: readonly PodView[];
  readonly nodes: readonly NodeSnapshot[];
  /** Of the cluster-wide address store. */
  readonly held: readonly HeldAddress[];
};

/**
 * Every way in which the world is not as wanted, as sentences; none when it is. `withoutLedger` is for worlds in which somebody
 * else than our agent plugs.
 */
export const problemsOf = (
  world: World,
  wanted: ReadonlyMap<string, Interfaces>,
  { withoutLedger = false } = {},
): readonly string[] => [
  ...world.pods
    .filter(({ name }) => !wanted.has(name))
    .map(({ name, isTerminating }) => `pod ${name} is ${isTerminating ? 'stuck terminating' : 'still there'}`),
  ...[...wanted].flatMap(([name, interfaces]) => podProblems(world, name, interfaces, withoutLedger)),
  ...recordProblems(world),
  ...addressProblems(world),
];

const podProblems = (world: World, name: string, interfaces: Interfaces, withoutLedger: boolean): string[] => {
  const pod = world.pods.find((one) => one.name === name);
  if (pod === undefined) return [`pod ${name} is gone`];
  const sandboxes = sandboxesOf(world).filter(({ podUid }) => podUid === pod.uid);
  const [sandbox] = sandboxes;
  if (sandbox === undefined || sandboxes.length > 1) return [`pod ${name} has ${sandboxes.length} sandboxes`];
  const records = recordsOf(world).filter(({ uid }) => uid === pod.uid);
  const recorded = records.flatMap(({ attachments }) => attachments.map((one) => one.interface));
  // Multus still lists what came with the pod and was unplugged since: such an entry only excuses a missing record.
  const expected = Object.keys(interfaces).filter(
    (one) => recorded.includes(one) || !sandbox.fromCreation.includes(one),
  );
  return [
    ...differences(`pod ${name}: kernel`, Object.keys(sandbox.addresses), Object.keys(interfaces)),
    ...differences(`pod ${name}: network-status`, tellReported(pod), tellWanted(interfaces, sandbox)),
    ...(withoutLedger ? [] : differences(`pod ${name}: ledger`, recorded, expected)),
    ...pod.notReady.map((message) => `pod ${name}: not ready: ${message}`),
  ];
};

/** Nothing half-done, nothing of a sandbox that is gone. */
const recordProblems = (world: World): string[] => {
  const alive = new Set(sandboxesOf(world).map(({ id }) => id));
  return recordsOf(world).flatMap(({ name, uid, attachments, leftovers = [] }) => [
    ...(world.pods.some((pod) => pod.uid === uid) ? [] : [`ledger: pod ${name} (${uid}) is gone`]),
    ...leftovers.map((one) => `ledger: pod ${name}: ${one.interface} of an old sandbox is not released`),
    ...attachments
      .filter(({ state, containerId }) => state !== 'added' || !alive.has(containerId))
      .map((one) => `ledger: pod ${name}: ${one.interface} is ${one.state} for sandbox ${one.containerId}`),
  ]);
};

const addressProblems = (world: World): string[] => {
  const inKernel = sandboxesOf(world).flatMap(({ id, addresses }) =>
    Object.entries(addresses).map(([name, address]) => `${address} ${id} ${name}`),
  );
  const held = [...world.nodes.flatMap((node) => node.held), ...world.held];
  const inStores = held.map((one) => `${one.address} ${one.containerId} ${one.interface}`);
  return differences('address stores', inStores, inKernel);
};

const sandboxesOf = (world: World): readonly SandboxSnapshot[] => world.nodes.flatMap(({ sandboxes }) => sandboxes);
const recordsOf = (world: World): readonly LedgerRecord[] => world.nodes.flatMap(({ ledger }) => ledger);

const tellReported = (pod: PodView): string[] =>
  Object.entries(pod.reported).map(([name, { network, address }]) => `${name} on ${network} with ${address}`);

const tellWanted = (interfaces: Interfaces, { addresses }: SandboxSnapshot): string[] =>
  Object.entries(interfaces).map(([name, network]) => `${name} on ${network} with ${addresses[name] ?? 'nothing'}`);

const differences = (what: string, actual: readonly string[], expected: readonly string[]): string[] => [
  ...expected.filter((one) => !actual.includes(one)).map((one) => `${what} lacks ${one}`),
  ...actual.filter((one) => !expected.includes(one)).map((one) => `${what} has ${one} too many`),
  ...actual.filter((one, index) => actual.indexOf(one) < index).map((one) => `${what} has ${one} twice`),
];
