import { type Address, parseAddressOfCidr } from './address-number.ts';
import type { Holding } from './address-pool.ts';
import { attestedAddresses, type Claim, userOf } from './claim.ts';

/** What the pool is to know of a claim, with what is about to be written into it. */
export const holdingOf = (claim: Claim, intended: readonly Address[] = []): Holding => ({
  uid: claim.uid,
  key: claim.key,
  user: userOf(claim),
  createdAt: claim.createdAt,
  ips: claim.ips.flatMap((text) => parseAddressOfCidr(text) ?? []),
  attested: attestedAddresses(claim),
  intended,
});
