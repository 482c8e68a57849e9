// The network-status that a pod should have, given what it was seen to have after the work was done.
import { canonicalJson } from './json.ts';
import type { StatusEntry } from './network-status.ts';
import type { Observed } from './observe-attachments.ts';

/** Default entry first, other foreign ones next, then annotation order, then what is there without being asked for. */
export const composeStatus = (
  attached: readonly Observed[],
  desiredNames: readonly string[],
): readonly StatusEntry[] => {
  const order = new Map(desiredNames.map((name, index) => [name, index]));
  const rank = (target: Observed): number => {
    if (target.origin === 'foreign') return target.entries.some((entry) => entry.default === true) ? -2 : -1;
    return order.get(target.interface) ?? desiredNames.length;
  };
  return attached.toSorted((a, b) => rank(a) - rank(b)).flatMap((target) => target.entries);
};

/** Order alone is no reason to write: a status that Multus wrote stays as it is until something changes. */
export const hasSameEntries = (a: readonly StatusEntry[], b: readonly StatusEntry[]): boolean => {
  if (a.length !== b.length) return false;
  const texts = (entries: readonly StatusEntry[]) => entries.map(canonicalJson).sort();
  const other = texts(b);
  return texts(a).every((text, index) => text === other[index]);
};
