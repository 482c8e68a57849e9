// Addresses as numbers: a range of them, an IPv6 subnet too, takes no more room than its two ends.
import ipaddr from 'ipaddr.js';

export type Family = 'IPv4' | 'IPv6';

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export interface Cidr {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  readonly prefixLength: number;
}

const BITS = { IPv4: 32, IPv6: 128 } as const;

/** An address without a prefix length. Zones, shortened IPv4 forms and IPv4 written as IPv6 are no address of a pool. */
export const parseAddress = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return { family: 'IPv4', value: numberOf(ipaddr.IPv4.parse(text)) };
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  const parsed = ipaddr.IPv6.parse(text);
  return parsed.isIPv4MappedAddress() ? undefined : { family: 'IPv6', value: numberOf(parsed) };
};

const numberOf = (address: ipaddr.IPv4 | ipaddr.IPv6): bigint =>
  address.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

export const formatAddress = ({ family, value }: Address): string => {
  const bytes = Array.from({ length: BITS[family] / 8 }, (_, index) =>
    Number((value >> BigInt(BITS[family] - 8 * (index + 1))) & 0xffn),
  );
  return ipaddr.fromByteArray(bytes).toString();
};

/** The range that a CIDR covers; bits beyond its prefix are ignored, as Go does. */
export const parseCidr = (text: string): Cidr | undefined => {
  const [addressText = '', prefixText = '', ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(prefixText)) return undefined;
  const prefixLength = Number(prefixText);
  const hostBits = BITS[address.family] - prefixLength;
  if (hostBits < 0) return undefined;
  const first = (address.value >> BigInt(hostBits)) << BigInt(hostBits);
  return { family: address.family, first, last: first + (1n << BigInt(hostBits)) - 1n, prefixLength };
};

/** An address as claims carry it: with a prefix length, or without one. */
export const parseAddressOfCidr = (text: string): Address | undefined => {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  if (rest.length > 0 || (prefixText !== undefined && parseCidr(text) === undefined)) return undefined;
  return parseAddress(addressText);
};

export const formatCidr = ({ family, first, prefixLength }: Cidr): string =>
  `${formatAddress({ family, value: first })}/${prefixLength}`;

export const doOverlap = (a: Cidr, b: Cidr): boolean => a.family === b.family && a.first <= b.last && b.first <= a.last;

export const isInside = (address: Address, cidr: Cidr): boolean =>
  address.family === cidr.family && address.value >= cidr.first && address.value <= cidr.last;

/** One text for one address of either family: what maps are keyed by. */
export const addressKey = ({ family, value }: Address): string => `${family}:${value.toString(16)}`;
