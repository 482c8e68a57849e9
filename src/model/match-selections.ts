// Which element of the annotation means which attachment that exists. Named elements go by interface name. An unnamed one
// takes an attachment of its network that no named element claims: `net<i+1>`, the name Multus gives at pod creation, if it fits;
// then one that was plugged for just this request, then one of the pod's creation that fits, then any, each in numeric order.
// Elements that could not be plugged now come last. So whatever is plugged for one element is never taken for another, which would
// leave the first without.
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

export interface MatchRules {
  /** Whether it stays although no element means it; nothing does, where nobody says so. */
  readonly mustStay: (target: ManagedAttachment) => boolean;
  /** Whether the element would be plugged if nothing is there for it; all would, where nobody says otherwise. */
  readonly canBePlugged: (selection: NetworkSelection) => boolean;
}

const RESERVED = new Set(['lo']);

export const matchSelections = (
  desired: readonly NetworkSelection[],
  observed: readonly Observed[],
  { mustStay = () => false, canBePlugged = () => true }: Partial<MatchRules> = {},
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
    { claims, canBePlugged },
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
  { claims, canBePlugged }: Pick<MatchRules, 'canBePlugged'> & { claims: Map<NetworkSelection, ManagedAttachment> },
): void => {
  const free = new Set(available.toSorted(byNaturalName));
  const claim = (selection: NetworkSelection, rule: Fit): void => {
    const target = claims.has(selection) ? undefined : findFit(free, selection, rule);
    if (target === undefined) return;
    claims.set(selection, target);
    free.delete(target);
  };
  const unnamed = desired.filter((selection) => selection.interface === undefined);
  for (const selection of unnamed) claim(selection, (s, t) => isOwnOrdinal(s, t) && fits(s, t));
  const pluggable = unnamed.filter(canBePlugged);
  for (const rule of [isPluggedFor, fits, isOwnOrdinal, isAny]) {
    for (const selection of pluggable) claim(selection, rule);
  }
  // One by one: how many of them get something, and which, must not depend on what happens to fit.
  for (const selection of unnamed) for (const rule of [fits, isAny]) claim(selection, rule);
};

type Fit = (selection: NetworkSelection, target: ManagedAttachment) => boolean;

const findFit = (free: ReadonlySet<ManagedAttachment>, selection: NetworkSelection, rule: Fit) =>
  [...free].find((target) => target.network === selection.network && rule(selection, target));

const isAny: Fit = () => true;

const isOwnOrdinal: Fit = ({ index }, target) => target.interface === `net${index + 1}`;

/** It was plugged for just this request, not for an earlier one that read differently. */
export const isPluggedFor: Fit = ({ attributes }, target) =>
  target.origin === 'hotplug' && target.record.request === requestSignature(attributes);

const fits: Fit = (selection, target) => {
  if (target.origin === 'hotplug') return isPluggedFor(selection, target);
  const { attributes } = selection;
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
