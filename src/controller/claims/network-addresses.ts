// One network's addresses at work: its pool, and the claims that have to be looked at. Its promises:
// - a claim that changed is looked at again; one that waits for an address is, whenever one becomes free;
// - the addresses of a claim that is gone stay taken until somebody made sure that no pod has them (`leaving`);
// - an address that is meant for a claim is taken from the moment of the choice.
import type { Address } from '../../ipam/address-number.ts';
import { AddressPool } from '../../ipam/address-pool.ts';
import type { Claim } from '../../ipam/claim.ts';
import { holdingOf } from '../../ipam/holding.ts';
import type { PersistentNetwork } from '../../ipam/network-config.ts';
import type { LockState } from './ports.ts';

export interface PodUse {
  readonly pod: string;
  readonly user: string;
  readonly addresses: readonly Address[];
}

export class NetworkAddresses {
  readonly name: string;
  readonly pool: AddressPool;
  /** What the lock said when it was last read or written by us; undefined before that, or when somebody else wrote it. */
  lock: LockState | undefined;
  readonly #claims = new Map<string, Claim>();
  readonly #changed = new Set<string>();
  /** Since when a claim has been without addresses, by our clock. */
  readonly #pendingSince = new Map<string, number>();
  readonly #waiting = new Set<string>();
  readonly #leaving = new Map<string, Claim>();
  readonly #intended = new Map<string, readonly Address[]>();
  readonly #now: () => number;

  constructor(network: PersistentNetwork, now: () => number) {
    this.name = network.name;
    this.pool = new AddressPool(network);
    this.#now = now;
  }

  setClaim(claim: Claim): void {
    this.#claims.set(claim.uid, claim);
    this.#leaving.delete(claim.uid);
    this.#touch(claim.uid);
    if (claim.ips.length === 0 && !this.#pendingSince.has(claim.uid)) this.#pendingSince.set(claim.uid, this.#now());
    // Others that say they have its address must be looked at, too: one of them is wrong.
    for (const address of holdingOf(claim).ips) {
      for (const { uid } of this.pool.claimsOn(address)) if (this.#claims.has(uid)) this.#touch(uid);
    }
    this.#wakeIf(this.pool.setClaim(this.#holding(claim)));
  }

  /** A claim of another network that overlaps this one: whatever it has is not to be given here. */
  setForeign(claim: Claim): void {
    this.#wakeIf(this.pool.setClaim(holdingOf(claim)));
  }

  removeForeign(uid: string): void {
    if (!this.#claims.has(uid)) this.#wakeIf(this.pool.removeClaim(uid));
  }

  removeClaim(uid: string): void {
    const claim = this.#claims.get(uid);
    if (claim === undefined) return;
    this.#claims.delete(uid);
    this.#changed.delete(uid);
    this.settle(uid);
    this.#leaving.set(uid, claim);
  }

  get leaving(): readonly Claim[] {
    return [...this.#leaving.values()];
  }

  /** Nobody has the addresses of this claim any more, but for pods that the pool knows. */
  forgetLeaving(claim: Claim): void {
    if (!this.#leaving.delete(claim.uid)) return;
    this.#intended.delete(claim.uid);
    for (const address of holdingOf(claim).ips) {
      for (const { uid } of this.pool.claimsOn(address)) if (this.#claims.has(uid)) this.#touch(uid);
    }
    this.#wakeIf(this.pool.removeClaim(claim.uid));
  }

  /** Takes over what its predecessor had not finished when the network's definition changed. */
  inherit(before: NetworkAddresses): void {
    this.lock = before.lock;
    for (const claim of before.#leaving.values()) {
      this.#leaving.set(claim.uid, claim);
      this.pool.setClaim(holdingOf(claim, before.intendedFor(claim.uid)));
    }
    for (const [uid, addresses] of before.#intended) this.intend(uid, addresses);
    for (const [uid, since] of before.#pendingSince)
      if (this.#pendingSince.has(uid)) this.#pendingSince.set(uid, since);
  }

  setPod({ pod, user, addresses }: PodUse): void {
    this.#wakeIf(this.pool.setPod(pod, user, addresses));
  }

  intend(uid: string, addresses: readonly Address[]): void {
    if (addresses.length === 0) this.#intended.delete(uid);
    else this.#intended.set(uid, addresses);
    const claim = this.#claims.get(uid);
    if (claim !== undefined) this.#wakeIf(this.pool.setClaim(this.#holding(claim)));
  }

  /** Nobody can write any more what was chosen for the claim: another choice is due. */
  withdraw(uid: string): void {
    this.intend(uid, []);
    this.putBack(uid);
  }

  /** Nothing but this is about to be given to anybody; claims that something was or is meant for are looked at again. */
  replaceIntended(intended: ReadonlyMap<string, readonly Address[]>): void {
    for (const uid of new Set([...this.#intended.keys(), ...intended.keys()])) {
      if (!this.#claims.has(uid)) continue;
      this.intend(uid, intended.get(uid) ?? []);
      this.#touch(uid);
    }
  }

  intendedFor(uid: string): readonly Address[] {
    return this.#intended.get(uid) ?? [];
  }

  /** Claims to be looked at, the oldest first: of two that wait, the one that waits longer is served. */
  takeChanged(): readonly Claim[] {
    const claims = [...this.#changed].flatMap((uid) => this.#claims.get(uid) ?? []);
    this.#changed.clear();
    return claims.sort((a, b) => compareTexts(a.createdAt, b.createdAt) || compareTexts(a.uid, b.uid));
  }

  get hasWork(): boolean {
    return this.#changed.size > 0 || this.#leaving.size > 0;
  }

  findClaim(uid: string): Claim | undefined {
    return this.#claims.get(uid);
  }

  /** Something failed: look at it again. */
  putBack(uid: string): void {
    if (this.#claims.has(uid)) this.#touch(uid);
  }

  wait(uid: string): void {
    this.#waiting.add(uid);
  }

  settle(uid: string): void {
    this.#waiting.delete(uid);
    this.#pendingSince.delete(uid);
  }

  waitedMs(uid: string): number {
    return this.#now() - (this.#pendingSince.get(uid) ?? this.#now());
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get claims(): Iterable<Claim> {
    return this.#claims.values();
  }

  #holding(claim: Claim) {
    return holdingOf(claim, this.intendedFor(claim.uid));
  }

  #touch(uid: string): void {
    this.#changed.add(uid);
  }

  #wakeIf(isFreed: boolean): void {
    if (isFreed) for (const uid of this.#waiting) this.#touch(uid);
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
