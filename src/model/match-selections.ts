// Which element of the annotation means which attachment that exists. Named elements go by interface name. An unnamed one
// takes an attachment of its network that no named element claims: one that fits its attributes before one that does not,
// and `net<i+1>`, the name Multus gives at pod creation, before the others in numeric order.
import { canonicalAddress, canonicalMac } from './address.ts';
import { quote } from './json.ts';
import { type NetworkSelection, requestSignature } from './network-selection.ts';
import type { ManagedAttachment, Observed } from './observe-attachments.ts';

export interface SelectionMatch {
  readonly selection: NetworkSelection;
  readonly claimed: ManagedAttachment | undefined;
  /** The interface's name: the claimed one's, the one asked for, or the lowest free `netN`. */
  readonly name: string;
  /** Why the name asked for cannot be had. */
  readonly conflict?: string;
}

export interface Matches {
  readonly selections: readonly SelectionMatch[];
  readonly unclaimed: readonly ManagedAttachment[];
}

const RESERVED = new Set(['lo']);

export const matchSelections = (
  desired: readonly NetworkSelection[],
  observed: readonly Observed[],
  mustStay: (target: ManagedAttachment) => boolean,
): Matches => {
  const managed = observed.filter((target) => target.origin !== 'foreign');
  const byName = new Map(managed.map((target) => [target.interface, target]));
  const foreignNames = new Set(
    observed.flatMap(({ origin, interface: name }) => (origin === 'foreign' && name ? [name] : [])),
  );

  const claims = new Map<NetworkSelection, ManagedAttachment>();
  for (const selection of desired) {
    const target = byName.get(selection.interface ?? '');
    if (target?.network === selection.network) claims.set(selection, target);
  }
  const wantedNames = new Set(desired.flatMap(({ interface: name }) => name ?? []));
  claimForUnnamed(
    desired,
    managed.filter((target) => !wantedNames.has(target.interface)),
    claims,
  );

  const claimed = new Set(claims.values());
  const unclaimed = managed.filter((target) => !claimed.has(target));
  const staying = [...claimed, ...unclaimed.filter(mustStay)].flatMap(namesOf);
  const taken = new Set([...RESERVED, ...foreignNames, ...wantedNames, ...staying]);

  const selections = desired.map((selection): SelectionMatch => {
    const target = claims.get(selection);
    if (target !== undefined) return { selection, claimed: target, name: target.interface };
    if (selection.interface === undefined) return { selection, claimed: undefined, name: takeOrdinalName(taken) };
    return { selection, claimed: undefined, name: selection.interface, ...conflictOf(selection.interface) };
  });

  function conflictOf(name: string): { conflict?: string } {
    const holder = byName.get(name);
    if (RESERVED.has(name)) return { conflict: `interface name ${quote(name)} is reserved` };
    if (foreignNames.has(name)) {
      return { conflict: `interface name ${quote(name)} belongs to the pod's default network; choose another` };
    }
    if (holder !== undefined && mustStay(holder)) {
      return {
        conflict: `interface name ${quote(name)} belongs to a device attachment on ${holder.network}; choose another`,
      };
    }
    return {};
  }

  return { selections, unclaimed };
};

const claimForUnnamed = (
  desired: readonly NetworkSelection[],
  available: readonly ManagedAttachment[],
  claims: Map<NetworkSelection, ManagedAttachment>,
): void => {
  const free = new Set(available.toSorted(byNaturalName));
  const unnamed = desired.filter((selection) => selection.interface === undefined);
  const isOwnOrdinal: Fit = ({ index }, target) => target.interface === `net${index + 1}`;
  const passes: Fit[] = [(s, t) => isOwnOrdinal(s, t) && fits(s, t), fits, isOwnOrdinal, () => true];
  for (const pass of passes) {
    for (const selection of unnamed) {
      if (claims.has(selection)) continue;
      const target = findFit(free, selection, pass);
      if (target === undefined) continue;
      claims.set(selection, target);
      free.delete(target);
    }
  }
};

type Fit = (selection: NetworkSelection, target: ManagedAttachment) => boolean;

const findFit = (free: ReadonlySet<ManagedAttachment>, selection: NetworkSelection, rule: Fit) =>
  [...free].find((target) => target.network === selection.network && rule(selection, target));

const fits: Fit = ({ attributes }, target) => {
  if (target.origin === 'hotplug') return target.record.request === requestSignature(attributes);
  const held = new Set(target.entries.flatMap((entry) => entry.ips ?? []).map(canonicalAddress));
  const mac = target.entries[0]?.mac;
  return (
    (attributes.ips ?? []).every((ip) => held.has(canonicalAddress(ip))) &&
    (attributes.mac === undefined || canonicalMac(attributes.mac) === canonicalMac(mac ?? ''))
  );
};

const byNaturalName = (a: ManagedAttachment, b: ManagedAttachment): number =>
  a.interface.length - b.interface.length || (a.interface < b.interface ? -1 : 1);

/** A plugin may make more than the one interface that it was asked for. */
const namesOf = ({ interface: name, entries }: ManagedAttachment): string[] => [
  name,
  ...entries.flatMap((entry) => entry.interface ?? []),
];

const takeOrdinalName = (taken: Set<string>): string => {
  let ordinal = 1;
  while (taken.has(`net${ordinal}`)) ordinal += 1;
  taken.add(`net${ordinal}`);
  return `net${ordinal}`;
};
