// All networks' addresses, kept by what the watches tell. It is a function of networks, claims and pods as they are: whenever
// the networks change, everything is filed anew. It writes nothing; `onWork` says which network has something to do.
import type { Address } from '../../ipam/address-number.ts';
import { parseAddressOfCidr } from '../../ipam/address-number.ts';
import type { Claim } from '../../ipam/claim.ts';
import type { NetworkReading } from '../../ipam/network-config.ts';
import { buildNetworkTable, type NetworkSource, type NetworkTable } from '../../ipam/network-table.ts';
import type { PodAddresses } from '../../ipam/pod-addresses.ts';
import type { NetworkName } from '../../model/keys.ts';
import { NetworkAddresses } from './network-addresses.ts';

/** A living pod that may have addresses of ours. */
export interface AddressedPod {
  readonly user: string;
  readonly addresses: readonly PodAddresses[];
}

export interface PoolBookOptions {
  readonly onWork: (network: string) => void;
  /** A claim whose network has no pool of ours: it may have to be told why. */
  readonly onUnserved: (claim: Claim) => void;
  /** The networks are others than before: whoever depends on them looks again. */
  readonly onNetworks: () => void;
  readonly now: () => number;
}

export class PoolBook {
  readonly #options: PoolBookOptions;
  readonly #sources = new Map<string, NetworkSource>();
  readonly #claims = new Map<string, Claim>();
  readonly #pods = new Map<string, AddressedPod>();
  #table: NetworkTable = buildNetworkTable([]);
  #pools = new Map<string, NetworkAddresses>();
  #isRebuildPlanned = false;

  constructor(options: PoolBookOptions) {
    this.#options = options;
  }

  get table(): NetworkTable {
    return this.#table;
  }

  get pools(): Iterable<NetworkAddresses> {
    return this.#pools.values();
  }

  find(network: string): NetworkAddresses | undefined {
    return this.#pools.get(network);
  }

  /** Why a claim has no pool of ours, or undefined when it has one or needs none. */
  findProblem(claim: Claim): string | undefined {
    return problemOf(this.#table.findClaimReading(claim), claim);
  }

  setNetwork(key: string, source: NetworkSource | undefined): void {
    const before = this.#sources.get(key);
    if (source === undefined) this.#sources.delete(key);
    else this.#sources.set(key, source);
    if (before?.config === source?.config && before?.createdAt === source?.createdAt) return;
    if (this.#isRebuildPlanned) return;
    this.#isRebuildPlanned = true;
    queueMicrotask(() => this.#rebuild()); // a list of a thousand networks is one change
  }

  setClaim(key: string, claim: Claim | undefined): void {
    const before = this.#claims.get(key);
    if (before !== undefined && !isSameClaim(before, claim)) this.#unfile(before);
    if (claim === undefined) this.#claims.delete(key);
    else {
      this.#claims.set(key, claim);
      this.#file(claim);
    }
  }

  setPod(key: string, pod: AddressedPod | undefined): void {
    const before = this.#pods.get(key);
    if (pod === undefined) this.#pods.delete(key);
    else this.#pods.set(key, pod);
    for (const network of new Set([...this.#networksOf(before), ...this.#networksOf(pod)])) {
      network.setPod({ pod: key, user: pod?.user ?? '', addresses: this.#addressesOn(network, pod) });
      this.#tell(network);
    }
  }

  #file(claim: Claim): void {
    const reading = this.#table.findClaimReading(claim);
    const network = reading?.state === 'on' ? this.#pools.get(reading.network.name) : undefined;
    if (reading?.state === 'on' && reading.network.allocator === 'other') return;
    if (network !== undefined) {
      network.setClaim(claim);
      this.#tell(network);
      return;
    }
    if (reading?.state === 'invalid') for (const other of this.#pools.values()) other.setForeign(claim);
    this.#options.onUnserved(claim);
  }

  #unfile(claim: Claim): void {
    for (const network of this.#pools.values()) {
      network.removeForeign(claim.uid);
      network.removeClaim(claim.uid);
      this.#tell(network);
    }
  }

  #rebuild(): void {
    this.#isRebuildPlanned = false;
    const before = this.#pools;
    this.#table = buildNetworkTable(this.#sources.values());
    this.#pools = new Map(
      [...this.#table.pools].map(([name, network]) => [name, new NetworkAddresses(network, this.#options.now)]),
    );
    for (const claim of this.#claims.values()) this.#file(claim);
    for (const [name, old] of before) {
      // What was not finished yet goes on: addresses of claims that are gone, and such as are being given.
      this.#pools.get(name)?.inherit(old);
    }
    for (const [key, pod] of this.#pods) {
      for (const network of this.#networksOf(pod)) {
        network.setPod({ pod: key, user: pod.user, addresses: this.#addressesOn(network, pod) });
      }
    }
    for (const network of this.#pools.values()) this.#tell(network);
    this.#options.onNetworks();
  }

  #tell(network: NetworkAddresses): void {
    if (network.hasWork) this.#options.onWork(network.name);
  }

  #networksOf(pod: AddressedPod | undefined): readonly NetworkAddresses[] {
    return (pod?.addresses ?? []).flatMap(({ nad }) => this.#poolOf(nad) ?? []);
  }

  #poolOf(nad: NetworkName): NetworkAddresses | undefined {
    const reading = this.#table.findReading(nad);
    return reading?.state === 'on' ? this.#pools.get(reading.network.name) : undefined;
  }

  #addressesOn(network: NetworkAddresses, pod: AddressedPod | undefined): readonly Address[] {
    return (pod?.addresses ?? [])
      .filter(({ nad }) => this.#poolOf(nad) === network)
      .flatMap(({ ips }) => ips.flatMap((text) => parseAddressOfCidr(text) ?? []));
  }
}

/** One that was moved to another network leaves the addresses that it had on the old one. */
const isSameClaim = (a: Claim, b: Claim | undefined): boolean =>
  a.uid === b?.uid && a.network === b.network && a.nad === b.nad;

const problemOf = (reading: NetworkReading | undefined, claim: Claim): string | undefined => {
  if (reading === undefined) {
    return claim.nad === undefined
      ? undefined // somebody else's network, of which no definition tells
      : `NetworkAttachmentDefinition ${claim.nad} does not exist; create it, or delete the claim when its workload is stopped`;
  }
  return reading.state === 'invalid' || reading.state === 'unreadable' ? reading.problem : undefined;
};
