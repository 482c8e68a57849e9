// Which addresses of a subnet may be given to anybody: neither the network's own, nor the broadcast address, nor a router's,
// nor an excluded one.

import { type Cidr, isInside } from './address-number.ts';
import { AddressRanges } from './address-ranges.ts';
import type { PersistentNetwork } from './network-config.ts';

export const usableRanges = (
  subnet: Cidr,
  { excluded, gateways, hasNoGateway }: Pick<PersistentNetwork, 'excluded' | 'gateways' | 'hasNoGateway'>,
): AddressRanges => {
  const usable = hostRange(subnet);
  const ranges = new AddressRanges(usable);
  const own = gateways.filter((gateway) => isInside(gateway, subnet));
  for (const { value } of own) ranges.take(value);
  // Plugins that make a router, and OVN-Kubernetes, put it at the first usable address. One address alone has no router.
  if (own.length === 0 && !hasNoGateway && usable.first < usable.last) ranges.take(usable.first);
  for (const hole of excluded) if (hole.family === subnet.family) ranges.takeRange(hole);
  return ranges;
};

/** IPv4 without network and broadcast address, IPv6 without the subnet-router anycast address; links of two have neither. */
const hostRange = ({ family, first, last }: Cidr): { readonly first: bigint; readonly last: bigint } => {
  if (last - first < 2n) return { first, last };
  return { first: first + 1n, last: family === 'IPv4' ? last - 1n : last };
};
