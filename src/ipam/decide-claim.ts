// What is to be done about one claim, given who has which addresses. Pure: it looks at the pool and changes nothing.
// `status.ips` is the truth: what it says is honoured, unless it is another's. What it said before an edit stays the claim's
// own until the edit was found good, so an edit by hand can neither take an address away from anybody nor lose one.
import { type Address, addressKey, formatAddress, parseAddressOfCidr } from './address-number.ts';
import type { AddressPool } from './address-pool.ts';
import { attestedAddresses, type Claim, isSameAddresses, userOf } from './claim.ts';
import type { RefusalReason } from './claim-condition.ts';

export type Decision =
  /** It is as it should be. */
  | { readonly kind: 'settled' }
  /** These are its addresses; `notice` tells what was wrong before, if anything was. */
  | {
      readonly kind: 'give';
      readonly ips: readonly string[];
      readonly addresses: readonly Address[];
      readonly notice?: string;
    }
  /**
   * What was chosen for it before is another's by now. Whoever chose it may still be about to write it: the claim is written first, so
   * that their write fails, and is decided about again.
   */
  | { readonly kind: 'withdraw'; readonly reason: 'Conflict'; readonly message: string }
  /** What it says it has is another's: it loses it, and is decided about again. */
  | { readonly kind: 'takeBack'; readonly reason: 'Conflict'; readonly message: string }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason; readonly message: string };

/** `intended` are addresses that were chosen for the claim before, by somebody who may have ended before writing them. */
export const decideClaim = (pool: AddressPool, claim: Claim, intended: readonly Address[] = []): Decision => {
  const attested = attestedAddresses(claim);
  const parsed = claim.ips.map(parseAddressOfCidr);
  const stated = parsed.filter((address) => address !== undefined);
  const isGarbled = stated.length < parsed.length;

  if (stated.length > 0 && !isGarbled && isSameAddresses(stated, attested)) {
    const conflict = findConflict(pool, claim, stated);
    return conflict === undefined ? { kind: 'settled' } : takeBack(conflict);
  }
  if (attested.length > 0) return decideEdited(pool, claim, attested, isGarbled ? undefined : stated);
  if (stated.length === 0 || isGarbled) {
    const notice = isGarbled ? `status.ips had ${JSON.stringify(claim.ips)}, which are no addresses` : undefined;
    if (intended.length === 0) return allocate(pool, claim, notice);
    const conflict = findConflict(pool, claim, intended);
    return conflict === undefined ? give(pool, intended, notice) : withdraw(conflict);
  }
  const conflict = findConflict(pool, claim, stated);
  return conflict === undefined ? keep(claim, stated) : takeBack(conflict);
};

/** Somebody changed the addresses that we gave. */
const decideEdited = (
  pool: AddressPool,
  claim: Claim,
  attested: readonly Address[],
  stated: readonly Address[] | undefined,
): Decision => {
  const problem = findEditProblem(pool, claim, stated);
  if (problem === undefined && stated !== undefined) {
    return { ...keep(claim, stated), notice: `status.ips was changed to ${claim.ips.join(', ')}` };
  }
  const conflict = findConflict(pool, claim, attested);
  if (conflict !== undefined) return takeBack(conflict);
  const restored = attested.map((address) => pool.format(address)).join(', ');
  return give(pool, attested, `${problem}; ${restored} was restored`);
};

const findEditProblem = (
  pool: AddressPool,
  claim: Claim,
  stated: readonly Address[] | undefined,
): string | undefined => {
  if (stated === undefined) return `status.ips was changed to ${JSON.stringify(claim.ips)}, which are no addresses`;
  if (stated.length === 0) return 'status.ips was emptied';
  for (const address of stated) {
    const problem = pool.findRuleAgainst(address) ?? findConflict(pool, claim, [address]);
    if (problem !== undefined) return `status.ips was changed to ${claim.ips.join(', ')}: ${problem}`;
  }
  return undefined;
};

/** Why one of the addresses is not this claim's, if one is not. */
const findConflict = (pool: AddressPool, claim: Claim, addresses: readonly Address[]): string | undefined => {
  for (const address of addresses) {
    const owner = pool.findOwner(address);
    if (owner !== undefined && owner.uid !== claim.uid) {
      return `${formatAddress(address)} belongs to IPAMClaim ${owner.key}`;
    }
    // A claim that was given the address had it before any pod of somebody else.
    if (attestedAddresses(claim).some((own) => addressKey(own) === addressKey(address))) continue;
    const other = pool.findOtherUser(address, userOf(claim));
    if (other !== undefined) return `${formatAddress(address)} is in use by a pod of ${other}`;
  }
  return undefined;
};

const withdraw = (conflict: string): Decision => ({
  kind: 'withdraw',
  reason: 'Conflict',
  message: `${conflict}, and was chosen for this claim, which is given another`,
});

const takeBack = (conflict: string): Decision => ({
  kind: 'takeBack',
  reason: 'Conflict',
  message: `${conflict}; this claim is given another address: restart its workload to use it`,
});

/** Addresses that are in the claim already and may stay there. */
const keep = (claim: Claim, addresses: readonly Address[]): Extract<Decision, { kind: 'give' }> => ({
  kind: 'give',
  ips: claim.ips,
  addresses,
});

const allocate = (pool: AddressPool, claim: Claim, notice: string | undefined): Decision => {
  const requested = new Map<string, Address>();
  for (const text of claim.requested) {
    const address = parseAddressOfCidr(text);
    if (address === undefined) return invalidRequest(`${JSON.stringify(text)} is no IP address`);
    if (requested.has(address.family)) return invalidRequest(`more than one ${address.family} address is asked for`);
    const rule = pool.findRuleAgainst(address);
    if (rule !== undefined) return invalidRequest(rule);
    const conflict = findConflict(pool, claim, [address]);
    if (conflict !== undefined) {
      const message = `${conflict}; it is given to this claim as soon as it is free`;
      return { kind: 'refuse', reason: 'Conflict', message };
    }
    requested.set(address.family, address);
  }
  const addresses: Address[] = [];
  for (const family of pool.families) {
    const address = requested.get(family) ?? pool.findLowestFree(family);
    if (address === undefined) {
      const message = `every ${family} address of network ${claim.network} is taken; delete a workload or add a subnet`;
      return { kind: 'refuse', reason: 'PoolExhausted', message };
    }
    addresses.push(address);
  }
  return give(pool, addresses, notice);
};

const give = (pool: AddressPool, addresses: readonly Address[], notice: string | undefined): Decision => ({
  kind: 'give',
  ips: addresses.map((address) => pool.format(address)),
  addresses,
  ...(notice !== undefined && { notice }),
});

const invalidRequest = (problem: string): Decision => ({
  kind: 'refuse',
  reason: 'InvalidRequest',
  message: `${problem}; ask for another address, or for none`,
});
