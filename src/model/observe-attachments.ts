// Joins the two witnesses of what a pod has: its network-status and the agent's ledger.
// The ledger wins where both speak of one interface: a crash or a failed patch leaves the status behind, never the ledger.
import type { AttachmentRecord } from './attachment-record.ts';
import { findNetworkName, type NetworkName } from './keys.ts';
import type { StatusEntry } from './network-status.ts';

/** `foreign`: the default network, or nothing that an element could name; never touched. */
export type Observed = ForeignAttachment | CreationAttachment | HotplugAttachment;

export interface ForeignAttachment {
  readonly origin: 'foreign';
  readonly interface: string | undefined;
  readonly entries: readonly StatusEntry[];
}

/** Attached by Multus when the sandbox was made, which also releases it with the sandbox. */
export interface CreationAttachment {
  readonly origin: 'creation';
  readonly interface: string;
  readonly network: NetworkName;
  readonly entries: readonly StatusEntry[];
}

/** Attached by the agent, which alone knows how to release it. */
export interface HotplugAttachment {
  readonly origin: 'hotplug';
  readonly interface: string;
  readonly network: NetworkName;
  readonly entries: readonly StatusEntry[];
  readonly record: AttachmentRecord;
}

export type ManagedAttachment = CreationAttachment | HotplugAttachment;

export const observeAttachments = (
  reported: readonly StatusEntry[],
  records: readonly AttachmentRecord[],
  /** Names of networks that every pod gets without asking for them. */
  defaultNetworks: ReadonlySet<string> = new Set(),
): readonly Observed[] => {
  const isForeign = (entry: StatusEntry) => isForeignEntry(entry) || defaultNetworks.has(entry.name);
  const ours = new Set(records.flatMap((record) => [record.interface, ...record.entries.map(interfaceOf)]));
  const others = reported
    .filter((entry) => isForeign(entry) || !ours.has(interfaceOf(entry)))
    .map((entry) => (isForeign(entry) ? observeForeign(entry) : observeEntry(entry)));
  const added = records.filter((record) => record.state === 'added').map(observeRecord);
  return inReportedOrder([...others, ...added], reported);
};

const interfaceOf = (entry: StatusEntry): string | undefined => entry.interface;

/**
 * What runtimes call the interface of the default network. A status that claims it for another network was not written by
 * Multus: whoever may edit the pod may write that, and must not make the agent cut the pod off.
 */
const RUNTIME_NAMES: ReadonlySet<string | undefined> = new Set(['eth0', 'lo']);

/** Entries that no element of the annotation can mean. */
const isForeignEntry = (entry: StatusEntry): boolean =>
  entry.default === true ||
  !entry.interface ||
  RUNTIME_NAMES.has(entry.interface) ||
  findNetworkName(entry.name) === undefined;

const observeForeign = (entry: StatusEntry): ForeignAttachment => ({
  origin: 'foreign',
  interface: entry.interface,
  entries: [entry],
});

const observeEntry = (entry: StatusEntry): Observed => {
  const network = findNetworkName(entry.name);
  if (network === undefined || !entry.interface) return observeForeign(entry);
  return { origin: 'creation', interface: entry.interface, network, entries: [entry] };
};

const observeRecord = (record: AttachmentRecord): HotplugAttachment => ({
  origin: 'hotplug',
  interface: record.interface,
  network: record.network,
  entries: record.entries,
  record,
});

/** Detaching runs in reverse of the reported order, so the order must not depend on which witness spoke. */
const inReportedOrder = (observed: readonly Observed[], reported: readonly StatusEntry[]): readonly Observed[] => {
  const position = new Map(reported.map((entry, index) => [entry.interface, index]));
  const rank = ({ interface: iface }: Observed) => position.get(iface) ?? Number.MAX_SAFE_INTEGER;
  return [...observed].sort((a, b) => rank(a) - rank(b));
};
