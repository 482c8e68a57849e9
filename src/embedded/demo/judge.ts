// Whether what is seen is what was promised. A step counts only when the kernel, the IPAM store and the pod's annotations
// all say so; each difference names both sides, so that a failing demo explains itself.
import type { InterfaceRow, Snapshot } from './snapshot.ts';

export interface Difference {
  readonly expected: string;
  readonly seen: string;
}

export interface WantedAttachment {
  /** Any name will do if absent. */
  readonly interface?: string;
  /** `namespace/name` */
  readonly network: string;
}

export interface Expectation {
  readonly attachments: readonly WantedAttachment[];
  /** The pod's condition; with no attachments it may also be absent. */
  readonly ready: 'True' | 'False';
  /** Interfaces that must be the very same as before: same MAC, same address. */
  readonly kept?: { readonly names: readonly string[]; readonly since: Snapshot };
}

export const findDifferences = (snapshot: Snapshot, expectation: Expectation): Difference[] => {
  const { pod, rows, leaks } = snapshot;
  if (pod?.phase !== 'Running') return [{ expected: 'a running pod', seen: pod?.phase ?? 'no such pod' }];
  const matched = matchRows(rows.filter(isSecondary), expectation.attachments);
  const differences = [
    ...matched.pairs.flatMap(({ wanted, row }) => differencesOfRow(wanted, row)),
    ...matched.rest.map(differenceOfRest),
    ...differencesOfCondition(snapshot, expectation),
    ...differencesOfKept(snapshot, expectation),
  ];
  // While rows differ, the invariant is bound to be broken as well: saying so twice helps nobody.
  if (differences.length > 0) return differences;
  return leaks.map((seen) => ({ expected: 'kernel, IPAM and network-status agree everywhere', seen }));
};

/** What must be left of a deleted pod: nothing. */
export const findLeftovers = ({ pod, leases, leaks }: Snapshot): Difference[] => [
  ...(pod === undefined ? [] : [{ expected: 'no pod', seen: `the pod is still there (${pod.phase})` }]),
  ...leases.map(({ network, address, interface: name }) => ({
    expected: 'no address in use',
    seen: `${address} on ${network} is still held by interface ${name}`,
  })),
  ...leaks.map((seen) => ({ expected: 'kernel, IPAM and network-status agree everywhere', seen })),
];

export const isSecondary = ({ name, status }: InterfaceRow): boolean => status?.isDefault !== true && name !== 'eth0';

interface Matched {
  readonly pairs: readonly { readonly wanted: WantedAttachment; readonly row: InterfaceRow | undefined }[];
  readonly rest: readonly InterfaceRow[];
}

/** Named ones first: an unnamed one must not take an interface that another asks for by name. */
export const matchRows = (rows: readonly InterfaceRow[], wanted: readonly WantedAttachment[]): Matched => {
  const free = new Set(rows);
  const found = new Map<WantedAttachment, InterfaceRow>();
  const claim = (each: WantedAttachment, row: InterfaceRow | undefined): void => {
    if (row !== undefined && free.delete(row)) found.set(each, row);
  };
  for (const each of wanted) {
    if (each.interface !== undefined) claim(each, byName(free, each.interface));
  }
  for (const each of wanted) {
    if (each.interface === undefined) claim(each, byNetwork(free, each.network));
  }
  return { pairs: wanted.map((each) => ({ wanted: each, row: found.get(each) })), rest: [...free] };
};

const byName = (rows: Iterable<InterfaceRow>, name: string) => [...rows].find((row) => row.name === name);
const byNetwork = (rows: Iterable<InterfaceRow>, network: string) =>
  [...rows].find((row) => row.status?.network === network || row.report?.network === network);

const list = (addresses: readonly string[]): string => addresses.toSorted().join(', ') || 'no address';

const differencesOfRow = (wanted: WantedAttachment, row: InterfaceRow | undefined): Difference[] => {
  const { network } = wanted;
  const name = wanted.interface ?? row?.name ?? 'an interface';
  const differences: Difference[] = [];
  const demand = (isMet: boolean, expected: string, seen: string): void => {
    if (!isMet) differences.push({ expected, seen });
  };
  const { status, kernel, report, leased = [] } = row ?? {};
  const addresses = status?.addresses ?? [];
  demand(
    status?.network === network,
    `network-status: ${name} on ${network}`,
    status?.network ?? `no entry for ${name}`,
  );
  demand(kernel?.network === network, `kernel: ${name} on ${network}`, kernel?.network ?? `no link ${name}`);
  if (differences.length === 0) {
    demand(
      list(kernel?.addresses ?? []) === list(addresses),
      `kernel: ${name} has ${list(addresses)}`,
      list(kernel?.addresses ?? []),
    );
    demand(list(leased) === list(addresses), `IPAM: ${list(addresses)} held for ${name}`, list(leased));
  }
  const complaint = report?.message ?? 'no message';
  demand(
    report?.ready === true && report.network === network,
    `Ready report: ${name} ready on ${network}`,
    report === undefined ? `no report for ${name}` : `${report.reason ?? report.network}: ${complaint}`,
  );
  return differences;
};

const differenceOfRest = ({ name, kernel, status, report }: InterfaceRow): Difference => {
  const witnesses = [kernel && 'the kernel', status && 'network-status', report && 'the Ready report'];
  const where = witnesses.filter((each) => each !== undefined).join(' and ');
  return { expected: `no interface ${name}`, seen: `${name} is in ${where}` };
};

const differencesOfCondition = ({ condition }: Snapshot, { ready, attachments }: Expectation): Difference[] => {
  const isFine = condition === undefined ? attachments.length === 0 && ready === 'True' : condition.status === ready;
  if (isFine) return [];
  const seen = condition && `${condition.status} (${condition.reason}: ${condition.message})`;
  return [{ expected: `condition NetworksReady=${ready}`, seen: seen ?? 'no such condition' }];
};

const differencesOfKept = ({ rows }: Snapshot, { kept }: Expectation): Difference[] =>
  (kept?.names ?? []).flatMap((name) => {
    const before = identityOf(byName(kept?.since.rows ?? [], name));
    const after = identityOf(byName(rows, name));
    return before === after ? [] : [{ expected: `${name} untouched (${before})`, seen: after }];
  });

const identityOf = (row: InterfaceRow | undefined): string =>
  row?.kernel === undefined ? 'not there' : `${row.kernel.mac} ${list(row.kernel.addresses)} on ${row.kernel.network}`;
