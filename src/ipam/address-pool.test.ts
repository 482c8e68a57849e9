import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, addressKey, parseAddressOfCidr } from './address-number.ts';
import { AddressPool } from './address-pool.ts';
import { holdingOf } from './holding.ts';
import { allocatedClaim, networkOf } from './test-claims.ts';

const config = { subnets: '10.0.0.0/28,fd00::/124', excludeSubnets: '10.0.0.8/30' };
const candidates = [
  '10.0.0.2/28',
  '10.0.0.3/28',
  '10.0.0.9/28',
  '10.0.0.14/28',
  '192.168.0.1/24',
  'fd00::2/124',
  'fd00::f/124',
];

const world = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    ips: fc.uniqueArray(fc.constantFrom(...candidates), { maxLength: 3 }),
    isPod: fc.boolean(),
  }),
  { maxLength: 30 },
);

const addresses = (ips: readonly string[]): Address[] => ips.flatMap((ip) => parseAddressOfCidr(ip) ?? []);
const stateOf = (pool: AddressPool) => ({
  usage: pool.usage(),
  lowest: pool.families.map((family) => pool.findLowestFree(family)),
  owners: candidates.map((text) => addresses([text]).map((address) => pool.findOwner(address)?.uid)),
});

const fill = (entries: readonly { name: string; ips: readonly string[]; isPod: boolean }[]) => {
  const pool = new AddressPool(networkOf(config));
  for (const { name, ips, isPod } of entries) {
    if (isPod) pool.setPod(name, name, addresses(ips));
    else if (ips.length === 0) pool.removeClaim(`uid-${name}`);
    else pool.setClaim(holdingOf(allocatedClaim(name, ips)));
  }
  return pool;
};

/** What is left when everything that was said was said last: one entry per claim and per pod. */
const finalEntries = (entries: readonly { name: string; ips: readonly string[]; isPod: boolean }[]) => [
  ...new Map(entries.map((entry) => [`${entry.isPod} ${entry.name}`, entry])).values(),
];

describe('an address pool', () => {
  it('rebuilt from what there is, in any order, is the one that lived through everything', () => {
    fc.assert(
      fc.property(
        world.chain((entries) =>
          fc.tuple(
            fc.constant(entries),
            fc.shuffledSubarray(finalEntries(entries), { minLength: finalEntries(entries).length }),
          ),
        ),
        ([entries, shuffled]) => {
          expect(stateOf(fill(shuffled))).toEqual(stateOf(fill(entries)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never offers an address that anybody has, nor one that is kept', () => {
    fc.assert(
      fc.property(world, (entries) => {
        const pool = fill(entries);
        const had = new Set(finalEntries(entries).flatMap(({ ips }) => addresses(ips).map(addressKey)));
        for (const family of pool.families) {
          const offered = pool.findLowestFree(family);
          if (offered === undefined) continue;
          expect(had.has(addressKey(offered))).toBe(false);
          expect(pool.findRuleAgainst(offered)).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });
});
