// What a soak asks for: a few pods at a time, each any subset of the interfaces, each of these on any network. So interfaces
// come, go, and move to another network; several of a pod may be on one network.
import type { Interfaces } from '../../e2e/faults/invariant.ts';
import type { Random } from '../../e2e/faults/random.ts';
import { interfaceNames } from './interface-names.ts';

const MAX_PODS = 3;

const randomInterfaces = (random: Random, networks: readonly string[]): Interfaces =>
  Object.fromEntries(interfaceNames.filter(() => random.chance(0.5)).map((name) => [name, random.pick(networks)]));

/** Which pods get what, all of it at once; a pod that is drawn twice gets the last. */
export const randomEdits = (
  random: Random,
  pods: readonly string[],
  networks: readonly string[],
): ReadonlyMap<string, Interfaces> =>
  new Map(
    Array.from({ length: 1 + random.below(MAX_PODS) }, () => [random.pick(pods), randomInterfaces(random, networks)]),
  );
