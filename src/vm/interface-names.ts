// How a virtual machine's networks are called inside its launcher pod. Pods of today have hashed names, which depend on the
// network alone; pods of old releases have ordinal ones, which depend on its position, and keep them for life.
import { createHash } from 'node:crypto';
import type { StatusEntry } from '../model/network-status.ts';
import type { VmNetwork } from './network-spec.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export type NameScheme = 'hashed' | 'ordinal';

export const PRIMARY_INTERFACE = 'eth0';

/** With the prefix and the longest suffix that is ever put to it (`-nic`), the kernel's 15 bytes are full. */
const HASH_DIGITS = 11;

export const hashedName = (network: string): string =>
  `pod${createHash('sha256').update(network, 'utf8').digest('hex').slice(0, HASH_DIGITS)}`;

export const isOrdinalName = (name: string | undefined): boolean => name !== undefined && /^net\d+$/.test(name);

/** One ordinal name in a pod's status makes all of its names ordinal. */
export const schemeOf = (entries: readonly StatusEntry[]): NameScheme =>
  entries.some((entry) => isOrdinalName(entry.interface)) ? 'ordinal' : 'hashed';

/** The pod's interface of every secondary network, by network. Ordinal names count the secondary networks in list order. */
export const secondaryNames = (networks: readonly VmNetwork[], scheme: NameScheme): ReadonlyMap<string, string> =>
  new Map(
    networks
      .filter(({ isSecondary }) => isSecondary)
      .map(({ name }, index) => [name, scheme === 'ordinal' ? `net${index + 1}` : hashedName(name)]),
  );

/** What the pod's status calls the interface of its default network; `eth0` when it does not say. */
export const primaryNameIn = (entries: readonly StatusEntry[]): string =>
  entries.find((entry) => entry.default === true && entry.interface)?.interface ?? PRIMARY_INTERFACE;

/** The hash is cut short, so two networks can meet in one name: then neither may be plugged by it. */
export const findCollision = (networks: readonly VmNetwork[]): VmProblem | undefined => {
  const owners = new Map<string, string>();
  for (const { name, isSecondary } of networks) {
    if (!isSecondary) continue;
    const iface = hashedName(name);
    const other = owners.get(iface);
    if (other !== undefined && other !== name) {
      return problem(
        'InterfaceNameCollision',
        `networks ${JSON.stringify(other)} and ${JSON.stringify(name)} would both be ${iface} in the pod; rename one of them`,
      );
    }
    owners.set(iface, name);
  }
  return undefined;
};
