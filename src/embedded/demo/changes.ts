// What happened between two snapshots, one line per change and witness: the live view.
import type { InterfaceRow, Lease, Snapshot } from './snapshot.ts';

export interface Change {
  readonly witness: 'pod' | 'IPAM' | 'kernel' | 'network-status' | 'Ready' | 'condition';
  readonly tone: 'good' | 'bad' | 'neutral';
  readonly text: string;
}

export const describeChanges = (before: Snapshot, after: Snapshot): Change[] => [
  ...podChanges(before, after),
  ...leaseChanges(before, after),
  ...goneWithPod(before, after),
  ...survivors(before, after).flatMap((name) => {
    const [old, now] = [rowOf(before, name), rowOf(after, name)];
    return [...kernelChanges(name, old, now), ...statusChanges(name, old, now)];
  }),
  // Ready comes last, as it does in truth: one patch brings status and report, but the report is what people wait for.
  ...survivors(before, after).flatMap((name) => reportChanges(name, rowOf(before, name), rowOf(after, name))),
  ...conditionChanges(before, after),
];

const namesOf = (before: Snapshot, after: Snapshot): string[] => [
  ...new Set([...before.rows, ...after.rows].map(({ name }) => name)),
];

/** A pod that is gone takes all its links with it: one line says so. */
const survivors = (before: Snapshot, after: Snapshot): string[] =>
  after.pod === undefined ? [] : namesOf(before, after);

const goneWithPod = ({ rows }: Snapshot, { pod }: Snapshot): Change[] => {
  const names = rows.flatMap(({ name, kernel }) => (kernel === undefined ? [] : name));
  if (pod !== undefined || names.length === 0) return [];
  return [{ witness: 'kernel', tone: 'neutral', text: `network namespace removed, with ${names.join(', ')}` }];
};

const rowOf = ({ rows }: Snapshot, name: string): InterfaceRow | undefined => rows.find((row) => row.name === name);

const podChanges = ({ pod: old }: Snapshot, { pod: now }: Snapshot): Change[] => {
  if (old?.uid === now?.uid && old?.phase === now?.phase) return [];
  return [{ witness: 'pod', tone: 'neutral', text: now === undefined ? 'gone' : now.phase }];
};

const leaseChanges = (before: Snapshot, after: Snapshot): Change[] => {
  const key = ({ network, address, interface: name }: Lease): string => `${network} ${address} ${name}`;
  const [old, now] = [before, after].map(({ leases }) => new Set(leases.map(key)));
  const freed = before.leases.filter((lease) => now?.has(key(lease)) === false);
  const taken = after.leases.filter((lease) => old?.has(key(lease)) === false);
  return [
    ...freed.map((lease) => leaseChange(lease, 'returned to')),
    ...taken.map((lease) => leaseChange(lease, 'taken from')),
  ];
};

const leaseChange = ({ network, address, interface: name }: Lease, verb: string): Change => ({
  witness: 'IPAM',
  tone: 'neutral',
  text: `${address} ${verb} ${network} (${name})`,
});

const kernelChanges = (name: string, old: InterfaceRow | undefined, now: InterfaceRow | undefined): Change[] => {
  const change = (text: string): Change[] => [{ witness: 'kernel', tone: 'neutral', text: `${name} ${text}` }];
  if (now?.kernel === undefined) return old?.kernel === undefined ? [] : change('removed');
  if (old?.kernel === undefined) return change(`created on ${now.kernel.network}`);
  return old.kernel.mac === now.kernel.mac ? [] : change(`replaced, now on ${now.kernel.network}`);
};

const statusChanges = (name: string, old: InterfaceRow | undefined, now: InterfaceRow | undefined): Change[] => {
  const change = (text: string): Change[] => [{ witness: 'network-status', tone: 'neutral', text: `${name} ${text}` }];
  const entryOf = (row: InterfaceRow | undefined): string | undefined =>
    row?.status && `${row.status.network}, ${row.status.addresses.join(', ') || 'no address'}`;
  const [was, is] = [entryOf(old), entryOf(now)];
  if (was === is) return [];
  if (is === undefined) return change('no longer reported');
  return change(`${was === undefined ? 'reported' : 'now'} on ${is}`);
};

const reportChanges = (name: string, old: InterfaceRow | undefined, now: InterfaceRow | undefined): Change[] => {
  const report = now?.report;
  if (report === undefined) return [];
  const isSame =
    old?.report?.ready === report.ready && old.report.reason === report.reason && old.report.network === report.network;
  if (isSame) return [];
  const tone = report.ready ? 'good' : 'bad';
  return [{ witness: 'Ready', tone, text: `${name}: ${report.ready ? 'yes' : `no, ${report.reason ?? 'not ready'}`}` }];
};

const conditionChanges = ({ condition: old }: Snapshot, { condition: now, pod }: Snapshot): Change[] => {
  if (pod === undefined || now === undefined) return [];
  if (old?.status === now.status && old.reason === now.reason) return [];
  const tone = now.status === 'True' ? 'good' : 'bad';
  return [{ witness: 'condition', tone, text: `NetworksReady=${now.status} (${now.reason})` }];
};
