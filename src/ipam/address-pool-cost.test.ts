// What giving an address costs, counted and not timed: comparisons of numbers, and ranges walked through. It must grow as the
// logarithm of what there is. The pool's other tables are hash maps.
import { expect, it, vi } from 'vitest';
import { AddressPool } from './address-pool.ts';
import { networkOf } from './test-claims.ts';

const counted = vi.hoisted(() => ({ steps: 0 }));

vi.mock(import('sorted-btree'), async (importOriginal) => {
  const original = await importOriginal();
  class CountingTree<K, V> extends original.default.default<K, V> {
    constructor(entries?: [K, V][], compare?: (a: K, b: K) => number, maxNodeSize?: number) {
      const count = (a: K, b: K): number => {
        counted.steps += 1;
        return compare?.(a, b) ?? 0;
      };
      super(entries, count, maxNodeSize);
    }
    override toArray(maxLength?: number): [K, V][] {
      counted.steps += this.size;
      return super.toArray(maxLength);
    }
    override entries(lowestKey?: K): IterableIterator<[K, V]> {
      counted.steps += this.size;
      return super.entries(lowestKey);
    }
  }
  return { ...original, default: { ...original.default, default: CountingTree } };
});

const LOG_OF_16_BITS = 16;

it('a /16 with 60,000 claims gives the next address in O(log n), scattered holes included', () => {
  const pool = new AddressPool(networkOf({ subnets: '10.0.0.0/16' }));
  const give = (index: number): void => {
    const ips = pool.families.flatMap((family) => pool.findLowestFree(family) ?? []);
    const user = `u${index}`;
    pool.setClaim({ uid: user, key: `ns/c${index}`, user, createdAt: '', ips, attested: ips, intended: [] });
  };
  /** The dearest of all single ones. */
  const mostOf = (from: number, to: number, act: (index: number) => void, step = 1): number => {
    let most = 0;
    for (let index = from; index < to; index += step) {
      const before = counted.steps;
      act(index);
      most = Math.max(most, counted.steps - before);
    }
    return most;
  };
  const first = mostOf(0, 1000, give);
  const last = mostOf(1000, 60_000, give);
  expect(last).toBe(first); // one range is left, however many were given
  // The hard case: every second address is free, thirty thousand ranges.
  const freeing = mostOf(0, 60_000, (index) => pool.removeClaim(`u${index}`), 2);
  const scattered = mostOf(60_000, 89_000, give);
  expect(Math.max(first, last)).toBeGreaterThan(0);
  // A handful of searches each: nothing that walks through ranges or claims.
  expect([freeing, scattered].filter((cost) => cost > 5 * LOG_OF_16_BITS)).toEqual([]);
  expect(pool.usage()[0]).toEqual({ family: 'IPv4', size: 65_533n, free: 65_533n - 59_000n });
});
