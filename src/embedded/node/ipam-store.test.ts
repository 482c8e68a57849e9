import { describe, expect, it } from 'vitest';
import { parseRange } from './ip-range.ts';
import { IpamStore } from './ipam-store.ts';

const ranges = [parseRange({ subnet: '10.1.0.0/29' })];
const owner = (containerId: string, ifname = 'net1') => ({ network: 'blue', containerId, ifname });

describe('IpamStore', () => {
  it('gives out addresses round robin, without the gateway, so that a freed one is not taken again at once', () => {
    const store = new IpamStore();
    expect(store.allocateNext(owner('a'), 0, ranges)).toEqual({ address: '10.1.0.2/29', gateway: '10.1.0.1' });
    expect(store.allocateNext(owner('b'), 0, ranges).address).toBe('10.1.0.3/29');
    store.free(owner('a'));
    expect(store.allocateNext(owner('c'), 0, ranges).address).toBe('10.1.0.4/29');
  });

  it('refuses a second address for the same container and interface', () => {
    const store = new IpamStore();
    store.allocateNext(owner('a'), 0, ranges);
    expect(() => store.allocateNext(owner('a'), 0, ranges)).toThrow(
      '10.1.0.2 has been allocated to a, duplicate allocation is not allowed',
    );
    expect(store.allocateNext(owner('a', 'net2'), 0, ranges).address).toBe('10.1.0.3/29');
  });

  it('says so when the pool is exhausted, and goes on after a free', () => {
    const store = new IpamStore();
    for (const id of ['a', 'b', 'c', 'd', 'e']) store.allocateNext(owner(id), 0, ranges);
    expect(() => store.allocateNext(owner('f'), 0, ranges)).toThrow(
      'no IP addresses available in range set: 10.1.0.1-10.1.0.6',
    );
    store.free(owner('b'));
    expect(store.allocateNext(owner('f'), 0, ranges).address).toBe('10.1.0.3/29');
  });

  it.each([
    ['taken', '10.1.0.2', 'requested IP address 10.1.0.2 is not available in range set 10.1.0.1-10.1.0.6'],
    ['the gateway', '10.1.0.1', "requested ip 10.1.0.1 is subnet's gateway"],
    ['outside', '10.9.0.1', '10.9.0.1 not in range set 10.1.0.1-10.1.0.6'],
  ])('refuses a requested address that is %s', (_why, address, text) => {
    const store = new IpamStore();
    store.allocateNext(owner('a'), 0, ranges);
    expect(() => store.allocateRequested(owner('b'), 0, ranges, address)).toThrow(text);
  });

  it('shows who holds what, and nothing after a free, twice if need be', () => {
    const store = new IpamStore();
    store.allocateRequested(owner('a'), 0, ranges, '10.1.0.5');
    expect(store.inspect()).toEqual([{ ...owner('a'), address: '10.1.0.5' }]);
    expect(store.free(owner('a'))).toHaveLength(1);
    expect(store.free(owner('a'))).toEqual([]);
    expect(store.inspect()).toEqual([]);
  });

  it('allocates IPv6, also from a range that is far too large to list', () => {
    const store = new IpamStore();
    const wide = [parseRange({ subnet: 'fd00:1::/64' })];
    expect(store.allocateNext(owner('a'), 1, wide)).toEqual({ address: 'fd00:1::2/64', gateway: 'fd00:1::1' });
  });
});
