// The addresses of one network, and who has which. Its promises:
// - it is a function of the claims and pods that it was told of, not of their order: rebuilt, it is the same;
// - an address that any claim or any pod has is not free, also when it is a claim's by mistake: better unused than used twice;
// - of several claims that say they have one address, one is its owner: the one that was given it, then the one that it is about
//   to be given to, then the oldest, then the one with the lower uid;
// - finding, taking and giving back cost O(log n), also in a network of 2^64 addresses.
import { type Address, addressKey, type Cidr, type Family, formatAddress, isInside } from './address-number.ts';
import type { AddressRanges } from './address-ranges.ts';
import type { PersistentNetwork } from './network-config.ts';
import { usableRanges } from './usable-ranges.ts';

/** What a claim has, as far as the pool is concerned. */
export interface Holding {
  readonly uid: string;
  /** For messages. */
  readonly key: string;
  readonly user: string;
  readonly createdAt: string;
  /** What its status says. */
  readonly ips: readonly Address[];
  /** What it was given, whatever its status says. */
  readonly attested: readonly Address[];
  /** What it is about to be given. */
  readonly intended: readonly Address[];
}

interface Subnet {
  readonly cidr: Cidr;
  readonly usable: AddressRanges;
  readonly free: AddressRanges;
}

interface Takers {
  readonly claims: Map<string, Holding>;
  /** Users by pod. */
  readonly pods: Map<string, string>;
}

export interface Usage {
  readonly family: Family;
  readonly size: bigint;
  readonly free: bigint;
}

export class AddressPool {
  readonly #subnets: readonly Subnet[];
  readonly #takers = new Map<string, Takers>();
  readonly #holdings = new Map<string, Holding>();
  readonly #addressesOfPod = new Map<string, readonly Address[]>();

  constructor(network: PersistentNetwork) {
    this.#subnets = network.subnets.map((cidr) => ({
      cidr,
      usable: usableRanges(cidr, network),
      free: usableRanges(cidr, network),
    }));
  }

  /** Replaces what was known of the claim. Returns whether an address became free by it. */
  setClaim(holding: Holding): boolean {
    const before = this.#holdings.get(holding.uid);
    this.#holdings.set(holding.uid, holding);
    const after = new Set(addressesOf(holding).map(addressKey));
    for (const address of addressesOf(holding)) this.#takersOf(address).claims.set(holding.uid, holding);
    const left = before === undefined ? [] : addressesOf(before).filter((address) => !after.has(addressKey(address)));
    return this.#leave(left, ({ claims }) => claims.delete(holding.uid));
  }

  removeClaim(uid: string): boolean {
    const before = this.#holdings.get(uid);
    this.#holdings.delete(uid);
    return before !== undefined && this.#leave(addressesOf(before), ({ claims }) => claims.delete(uid));
  }

  findClaim(uid: string): Holding | undefined {
    return this.#holdings.get(uid);
  }

  /** Addresses that a living pod has on this network. Returns whether an address became free. */
  setPod(pod: string, user: string, addresses: readonly Address[]): boolean {
    const after = new Set(addresses.map(addressKey));
    const left = (this.#addressesOfPod.get(pod) ?? []).filter((address) => !after.has(addressKey(address)));
    if (addresses.length === 0) this.#addressesOfPod.delete(pod);
    else this.#addressesOfPod.set(pod, addresses);
    for (const address of addresses) this.#takersOf(address).pods.set(pod, user);
    return this.#leave(left, ({ pods }) => pods.delete(pod));
  }

  findOwner(address: Address): Holding | undefined {
    const claims = [...(this.#takers.get(addressKey(address))?.claims.values() ?? [])];
    return claims.sort((a, b) => compareOwners(a, b, address))[0];
  }

  /** Everybody who says that the address is theirs. */
  claimsOn(address: Address): readonly Holding[] {
    return [...(this.#takers.get(addressKey(address))?.claims.values() ?? [])];
  }

  /** A pod that has the address without being of this user. */
  findOtherUser(address: Address, user: string): string | undefined {
    return [...(this.#takers.get(addressKey(address))?.pods.values() ?? [])].find((other) => other !== user);
  }

  /** Why nobody may be given this address, whoever asks. */
  findRuleAgainst(address: Address): string | undefined {
    const subnet = this.#subnetOf(address);
    if (subnet === undefined) return `${formatAddress(address)} is in none of the network's subnets`;
    if (subnet.usable.has(address.value)) return undefined;
    return `${formatAddress(address)} is kept: it is the network's own, its broadcast or router address, or excluded`;
  }

  findLowestFree(family: Family): Address | undefined {
    for (const { cidr, free } of this.#subnets) {
      const value = cidr.family === family ? free.lowest() : undefined;
      if (value !== undefined) return { family, value };
    }
    return undefined;
  }

  /** In the order of the subnets. */
  get families(): readonly Family[] {
    return [...new Set(this.#subnets.map(({ cidr }) => cidr.family))];
  }

  usage(): readonly Usage[] {
    return this.families.map((family) => {
      const subnets = this.#subnets.filter(({ cidr }) => cidr.family === family);
      const sum = (read: (subnet: Subnet) => bigint) => subnets.reduce((total, subnet) => total + read(subnet), 0n);
      return { family, size: sum(({ usable }) => usable.size), free: sum(({ free }) => free.size) };
    });
  }

  /** As claims carry it: with the prefix length of its subnet. */
  format(address: Address): string {
    const prefixLength = this.#subnetOf(address)?.cidr.prefixLength ?? (address.family === 'IPv4' ? 32 : 128);
    return `${formatAddress(address)}/${prefixLength}`;
  }

  #subnetOf(address: Address): Subnet | undefined {
    return this.#subnets.find(({ cidr }) => isInside(address, cidr));
  }

  #takersOf(address: Address): Takers {
    const key = addressKey(address);
    const present = this.#takers.get(key);
    if (present !== undefined) return present;
    const takers: Takers = { claims: new Map(), pods: new Map() };
    this.#takers.set(key, takers);
    this.#subnetOf(address)?.free.take(address.value);
    return takers;
  }

  #leave(addresses: readonly Address[], forget: (takers: Takers) => void): boolean {
    let isFreed = false;
    for (const address of addresses) {
      const key = addressKey(address);
      const takers = this.#takers.get(key);
      if (takers === undefined) continue;
      forget(takers);
      if (takers.claims.size > 0 || takers.pods.size > 0) continue;
      this.#takers.delete(key);
      const subnet = this.#subnetOf(address);
      if (subnet?.usable.has(address.value)) isFreed = subnet.free.give(address.value) || isFreed;
    }
    return isFreed;
  }
}

const addressesOf = ({ ips, attested, intended }: Holding): readonly Address[] => [...ips, ...attested, ...intended];

const compareOwners = (a: Holding, b: Holding, address: Address): number =>
  rankOf(a, address) - rankOf(b, address) || compareTexts(a.createdAt, b.createdAt) || compareTexts(a.uid, b.uid);

/** Whoever has it comes before one who was only meant to, and who only says so after both. */
const rankOf = ({ attested, intended }: Holding, address: Address): number => {
  const isIt = (own: Address): boolean => own.family === address.family && own.value === address.value;
  if (attested.some(isIt)) return 0;
  return intended.some(isIt) ? 1 : 2;
};

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
