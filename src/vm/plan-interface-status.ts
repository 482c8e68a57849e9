// `status.interfaces` of a running machine from what its pod reports: which interface in the pod each network has, and that
// Multus knows of it. Everything that others keep in an entry stays.
import { canonicalJson, type JsonObject } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import { MULTUS_STATUS, withInfoSource, withoutInfoSource } from './info-source.ts';
import { PRIMARY_INTERFACE, primaryNameIn, schemeOf, secondaryNames } from './interface-names.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { findNamed, findPrimary, type VmNetwork } from './network-spec.ts';

export interface StatusPolicy {
  /** Whether the primary interface's name is read from the pod; otherwise it is taken to be `eth0`. */
  readonly followsPrimaryName: boolean;
  /** Whether secondary networks are ours to report. */
  readonly reportsSecondaries: boolean;
}

export interface StatusInput {
  readonly networks: readonly VmNetwork[];
  readonly status: readonly InterfaceStatus[];
  readonly reported: readonly StatusEntry[];
  readonly policy: StatusPolicy;
}

/** The entries as they should be: the primary first, secondaries in the order of the networks, then those of others. */
export const planInterfaceStatus = (input: StatusInput): readonly InterfaceStatus[] => {
  const { networks, status, policy } = input;
  const primary = findPrimary(networks);
  const ours = [
    ...(primary === undefined ? [] : [primaryEntry(primary.name, input)]),
    ...(policy.reportsSecondaries ? secondaryEntries(input) : []),
  ];
  const isOurs = ({ name }: InterfaceStatus): boolean =>
    policy.reportsSecondaries ? findNamed(networks, name) !== undefined : name === primary?.name;
  return [...ours, ...status.filter((entry) => !isOurs(entry))];
};

/** Order is of no meaning there, and other programs have another one. */
export const hasSameStatus = (left: readonly InterfaceStatus[], right: readonly InterfaceStatus[]): boolean =>
  canonicalJson(sortedEntries(left)) === canonicalJson(sortedEntries(right));

const sortedEntries = (entries: readonly InterfaceStatus[]): readonly string[] =>
  entries.map(({ raw }) => canonicalJson(raw)).sort();

const primaryEntry = (name: string, { status, reported, policy }: StatusInput): InterfaceStatus => {
  const known = findNamed(status, name);
  if (policy.followsPrimaryName) return edited(name, known, { podInterfaceName: primaryNameIn(reported) });
  return edited(name, known, { podInterfaceName: known?.podInterfaceName ?? PRIMARY_INTERFACE });
};

const secondaryEntries = ({ networks, status, reported }: StatusInput): readonly InterfaceStatus[] => {
  const present = new Set(reported.map((entry) => entry.interface));
  return [...secondaryNames(networks, schemeOf(reported))].flatMap(([name, podInterfaceName]) => {
    const known = findNamed(status, name);
    const isPresent = present.has(podInterfaceName);
    if (!isPresent && known === undefined) return [];
    const change = isPresent ? withInfoSource : withoutInfoSource;
    return [edited(name, known, { podInterfaceName, infoSource: change(known?.infoSource, MULTUS_STATUS) })];
  });
};

const edited = (
  name: string,
  known: InterfaceStatus | undefined,
  change: { readonly podInterfaceName: string; readonly infoSource?: string | undefined },
): InterfaceStatus => {
  const { podInterfaceName } = change;
  const infoSource = 'infoSource' in change ? change.infoSource : known?.infoSource;
  const { infoSource: _before, ...others }: JsonObject = known?.raw ?? { name };
  const raw = { ...others, podInterfaceName, ...(infoSource !== undefined && { infoSource }) };
  return { name, podInterfaceName, infoSource, raw };
};

/** For a schema that has the field: whether each network's interface is ready. */
export const withReady = (
  entries: readonly InterfaceStatus[],
  states: readonly { readonly name: string; readonly ready: boolean }[],
): readonly InterfaceStatus[] =>
  entries.map((entry) => {
    const state = findNamed(states, entry.name);
    return state === undefined ? entry : { ...entry, raw: { ...entry.raw, ready: state.ready } };
  });
