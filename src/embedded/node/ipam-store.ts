// Who holds which address of which CNI network, as host-local keeps it on the node's disk.
// Promises: an address is held once per network; it is held by a container id and interface name until these are freed,
// and by nothing else: deleting a network namespace or a pod frees nothing. Allocation is round robin.
import { ChangeListeners } from './change-listeners.ts';
import { formatIp, formatRanges, type Ip, type IpRange, parseIp, rangeContains } from './ip-range.ts';

export interface LeaseOwner {
  readonly network: string;
  readonly containerId: string;
  readonly ifname: string;
}

export interface Lease extends LeaseOwner {
  readonly address: string;
}

export interface AllocatedAddress {
  readonly address: string;
  readonly gateway: string;
}

export class IpamError extends Error {}

interface Pool {
  readonly leases: Map<string, Lease>;
  readonly byOwner: Map<string, Lease[]>;
  /** Per range set: the last address given out. */
  readonly last: Map<number, Ip>;
}

const ownerKey = (owner: LeaseOwner): string => `${owner.containerId} ${owner.ifname}`;

const toAllocated = (range: IpRange, value: bigint): AllocatedAddress => ({
  address: `${formatIp(range.family, value)}/${range.prefix}`,
  gateway: formatIp(range.family, range.gateway),
});

export class IpamStore {
  readonly #pools = new Map<string, Pool>();
  readonly #listeners = new ChangeListeners();

  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  allocateNext(owner: LeaseOwner, rangeSetId: number, ranges: readonly IpRange[]): AllocatedAddress {
    const pool = this.#pool(owner.network);
    for (const held of pool.byOwner.get(ownerKey(owner)) ?? []) {
      if (ranges.some((range) => rangeContains(range, parseIp(held.address)))) {
        throw new IpamError(
          `${held.address} has been allocated to ${owner.containerId}, duplicate allocation is not allowed`,
        );
      }
    }
    for (const { range, value } of roundRobin(ranges, pool.last.get(rangeSetId))) {
      if (value === range.gateway || pool.leases.has(formatIp(range.family, value))) continue;
      this.#hold(pool, owner, rangeSetId, { family: range.family, value });
      return toAllocated(range, value);
    }
    throw new IpamError(`no IP addresses available in range set: ${formatRanges(ranges)}`);
  }

  allocateRequested(
    owner: LeaseOwner,
    rangeSetId: number,
    ranges: readonly IpRange[],
    requested: string,
  ): AllocatedAddress {
    const pool = this.#pool(owner.network);
    const ip = parseIp(requested);
    const range = ranges.find((candidate) => rangeContains(candidate, ip));
    if (range === undefined) throw new IpamError(`${requested} not in range set ${formatRanges(ranges)}`);
    if (ip.value === range.gateway) throw new IpamError(`requested ip ${requested} is subnet's gateway`);
    if (pool.leases.has(formatIp(ip.family, ip.value))) {
      throw new IpamError(`requested IP address ${requested} is not available in range set ${formatRanges(ranges)}`);
    }
    this.#hold(pool, owner, rangeSetId, ip);
    return toAllocated(range, ip.value);
  }

  /** Freeing what is not held is fine: CNI DEL may come twice. */
  free(owner: LeaseOwner): Lease[] {
    const pool = this.#pools.get(owner.network);
    const freed = pool?.byOwner.get(ownerKey(owner)) ?? [];
    for (const lease of freed) pool?.leases.delete(lease.address);
    pool?.byOwner.delete(ownerKey(owner));
    if (freed.length > 0) this.#listeners.notify();
    return freed;
  }

  heldBy(owner: LeaseOwner): readonly Lease[] {
    return this.#pools.get(owner.network)?.byOwner.get(ownerKey(owner)) ?? [];
  }

  /** Whether addresses of this network were ever given out here: if not, its addresses are none of ours. */
  knows(network: string): boolean {
    return this.#pools.has(network);
  }

  inspect(): Lease[] {
    return [...this.#pools.values()].flatMap((pool) => [...pool.leases.values()]);
  }

  #pool(network: string): Pool {
    const existing = this.#pools.get(network);
    if (existing !== undefined) return existing;
    const pool: Pool = { leases: new Map(), byOwner: new Map(), last: new Map() };
    this.#pools.set(network, pool);
    return pool;
  }

  #hold(pool: Pool, owner: LeaseOwner, rangeSetId: number, ip: Ip): void {
    const { network, containerId, ifname } = owner;
    const lease: Lease = { network, containerId, ifname, address: formatIp(ip.family, ip.value) };
    pool.leases.set(lease.address, lease);
    pool.byOwner.set(ownerKey(owner), [...(pool.byOwner.get(ownerKey(owner)) ?? []), lease]);
    pool.last.set(rangeSetId, ip);
    this.#listeners.notify();
  }
}

/** Every address of the ranges once, beginning after the last one given out. */
function* roundRobin(ranges: readonly IpRange[], last: Ip | undefined): Generator<{ range: IpRange; value: bigint }> {
  const lastIndex = last === undefined ? -1 : ranges.findIndex((range) => rangeContains(range, last));
  const lastRange = ranges[lastIndex];
  if (last === undefined || lastRange === undefined) {
    for (const range of ranges) yield* between(range, range.first, range.last);
    return;
  }
  yield* between(lastRange, last.value + 1n, lastRange.last);
  for (let step = 1; step < ranges.length; step++) {
    const range = ranges[(lastIndex + step) % ranges.length];
    if (range !== undefined) yield* between(range, range.first, range.last);
  }
  yield* between(lastRange, lastRange.first, last.value);
}

function* between(range: IpRange, first: bigint, last: bigint): Generator<{ range: IpRange; value: bigint }> {
  for (let value = first; value <= last; value++) yield { range, value };
}
