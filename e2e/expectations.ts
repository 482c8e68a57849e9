// The two great questions of every story, asked of all sources at once: does this pod have these interfaces, and is anything
// left behind? Each polls until the kernel, network-status and the address stores agree, and tells what each said if not.
import type { ApiClient } from './api-client.ts';
import { pollUntil } from './cluster/poll-until.ts';
import type { Network } from './networks.ts';
import type { NodeExec } from './node-exec.ts';
import { type AddressInUse, type LedgerRecord, readAddresses, readLedger } from './node-state.ts';
import { type PodLink, readPodLinks } from './pod-links.ts';
import { type Pod, type PodRef, podsPath, refOf, type StatusEntry, statusOf } from './pods.ts';

export type Sources = {
  readonly api: ApiClient;
  readonly nodeExec: NodeExec;
  readonly nodeNames: readonly string[];
};

/** Interface -> network: all that the pod is to have besides its default network. */
export type Wanted = Readonly<Record<string, Network>>;

/** A default network may have several interfaces, of which one is marked as the default. */
const isOfDefault = (entry: StatusEntry, all: readonly StatusEntry[]): boolean =>
  all.some(({ name, default: isDefault }) => isDefault === true && name === entry.name);
const isSecondary = (entry: StatusEntry, _index: number, all: readonly StatusEntry[]): boolean =>
  entry.interface !== undefined && !isOfDefault(entry, all);
const secondaryEntries = (pod: Pod): readonly StatusEntry[] => statusOf(pod).filter(isSecondary);

/** Names of links that no default entry of the status claims. */
const secondaryLinks = (pod: Pod, links: readonly PodLink[]): readonly PodLink[] => {
  const defaults = statusOf(pod).filter((entry, index, all) => !isSecondary(entry, index, all));
  return links.filter(({ ifname }) => !defaults.some((entry) => (entry.interface ?? 'eth0') === ifname));
};

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted());

type Observed = {
  readonly pod: Pod;
  readonly links: readonly PodLink[];
  readonly addresses: ReadonlyMap<Network, readonly AddressInUse[]>;
};

const problemsOf = ({ pod, links, addresses }: Observed, wanted: Wanted): readonly string[] => {
  const names = Object.keys(wanted);
  const inKernel = secondaryLinks(pod, links);
  const inStatus = secondaryEntries(pod);
  const problems: string[] = [];
  if (
    !isSame(
      inKernel.map(({ ifname }) => ifname),
      names,
    )
  )
    problems.push('the kernel has other interfaces');
  if (
    !isSame(
      inStatus.map(({ interface: name }) => name ?? ''),
      names,
    )
  )
    problems.push('network-status has others');
  for (const [name, network] of Object.entries(wanted)) {
    const entry = inStatus.find((one) => one.interface === name);
    const link = inKernel.find(({ ifname }) => ifname === name);
    if (entry === undefined || link === undefined) continue;
    if (entry.name !== network.fullName) problems.push(`${name}: network-status says ${entry.name}`);
    if (entry.mac !== undefined && entry.mac !== link.mac) problems.push(`${name}: network-status has another MAC`);
    if (!link.isUp) problems.push(`${name} is down`);
    if (!isSame(entry.ips ?? [], link.addresses)) problems.push(`${name}: network-status has other addresses`);
    if (network.ipam === 'none') continue;
    if (link.addresses.length === 0) problems.push(`${name} has no address`);
    const held = (addresses.get(network) ?? []).filter(({ holder }) => holder.endsWith(` ${name}`));
    const isHeld = link.addresses.every((address) => held.some((one) => one.address === address));
    if (!isHeld) problems.push(`${name}: the store does not know its address`);
  }
  return problems;
};

const describeObserved = ({ pod, links, addresses }: Observed): string =>
  [
    `kernel: ${JSON.stringify(links)}`,
    `network-status: ${JSON.stringify(statusOf(pod))}`,
    ...[...addresses].map(([{ fullName }, inUse]) => `addresses of ${fullName}: ${JSON.stringify(inUse)}`),
  ].join('\n');

export const expectInterfaces = async (
  sources: Sources,
  pod: PodRef,
  wanted: Wanted,
  deadlineMs: number,
): Promise<readonly PodLink[]> => {
  const { api, nodeExec } = sources;
  const observe = async (): Promise<Observed> => {
    const networks = [...new Set(Object.values(wanted))];
    const [object, links, ...addresses] = await Promise.all([
      api.get<Pod>(`${podsPath(pod.namespace)}/${pod.name}`),
      readPodLinks(nodeExec, pod),
      ...networks.map((network) => readAddresses(sources, network, [pod.node])),
    ]);
    return { pod: object, links, addresses: new Map(networks.map((one, index) => [one, addresses[index] ?? []])) };
  };
  const check = async (): Promise<readonly PodLink[] | undefined> => {
    const observed = await observe();
    const problems = problemsOf(observed, wanted);
    if (problems.length === 0) return secondaryLinks(observed.pod, observed.links);
    throw new Error(`${problems.join('; ')}\n${describeObserved(observed)}`);
  };
  const goal = JSON.stringify(Object.fromEntries(Object.entries(wanted).map(([name, one]) => [name, one.fullName])));
  return explained(`${pod.namespace}/${pod.name} to have ${goal}`, check, deadlineMs);
};

/** Each look starts processes on the nodes: looking more often would slow down what is looked at. */
const intervalMs = 200;

/** Vitest prints a cause below the message: the last reason belongs into the message itself. */
export const explained = async <T>(
  what: string,
  check: () => Promise<T | undefined>,
  deadlineMs: number,
): Promise<T> => {
  try {
    return await pollUntil(what, check, { deadlineMs, intervalMs });
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    throw new Error(cause instanceof Error ? `${message}\nbut ${cause.message}` : message, { cause });
  }
};

const isAlive = ({ status }: Pod): boolean => status.phase === 'Running' || status.phase === 'Pending';

/** Kernel = status = ledger, the stores hold what pods have and nothing else, and no pod is stuck. */
export const expectNothingLeft = async (
  sources: Sources,
  namespace: string,
  networks: readonly Network[],
  deadlineMs: number,
): Promise<void> => {
  const { api, nodeExec, nodeNames } = sources;

  const linkProblems = async (pod: Pod): Promise<readonly string[]> => {
    if (pod.status.phase !== 'Running' || pod.spec.hostNetwork === true) return [];
    const links = secondaryLinks(pod, await readPodLinks(nodeExec, refOf(pod))).map(({ ifname }) => ifname);
    const entries = secondaryEntries(pod).map((entry) => entry.interface ?? '');
    return isSame(links, entries)
      ? []
      : [`pod ${pod.metadata.name}: kernel has ${links}, network-status has ${entries}`];
  };

  const ledgerProblems = (record: LedgerRecord, pods: readonly Pod[]): readonly string[] => {
    const pod = pods.find(({ metadata }) => metadata.uid === record.uid);
    if (pod === undefined) return [`the ledger still has pod ${record.name}`];
    const inStatus = secondaryEntries(pod).map((entry) => entry.interface);
    const odd = record.attachments.filter((one) => one.state !== 'added' || !inStatus.includes(one.interface));
    return [...odd, ...(record.leftovers ?? [])].map((one) => `ledger of ${record.name}: ${JSON.stringify(one)}`);
  };

  const addressProblems = async (network: Network, pods: readonly Pod[]): Promise<readonly string[]> => {
    if (network.ipam === 'none') return [];
    const inUse = await readAddresses(sources, network, nodeNames);
    const entries = pods.filter(isAlive).flatMap((pod) => secondaryEntries(pod));
    const known = entries.filter(({ name }) => name === network.fullName).flatMap(({ ips }) => ips ?? []);
    return isSame(
      inUse.map(({ address }) => address),
      known,
    )
      ? []
      : [`addresses of ${network.fullName}: the store has ${JSON.stringify(inUse)}, pods have ${known}`];
  };

  const check = async (): Promise<true | undefined> => {
    const { items: pods } = await api.get<{ items: readonly Pod[] }>(podsPath(namespace));
    const ledgers = (await Promise.all(nodeNames.map((node) => readLedger(nodeExec, node)))).flat();
    const stuck = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const problems = [
      ...stuck.map(({ metadata }) => `pod ${metadata.name} is still being deleted`),
      ...ledgers.filter((one) => one.namespace === namespace).flatMap((one) => ledgerProblems(one, pods)),
      ...(await Promise.all(pods.map(linkProblems))).flat(),
      ...(await Promise.all(networks.map((network) => addressProblems(network, pods)))).flat(),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return true;
  };
  await explained(`nothing to be left over in ${namespace}`, check, deadlineMs);
};
