// IP arithmetic as host-local does it: a range is the usable part of a subnet, gateway excluded when allocating.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type JsonObject, stringAt } from './json-values.ts';

export interface Ip {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface IpRange {
  readonly family: 4 | 6;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly gateway: bigint;
}

const bitsOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

export const parseIp = (text: string): Ip => {
  // Stricter than ipaddr.js, which also reads "10.1" as classful.
  if (isIP(text) === 0) throw new Error(`invalid IP address: ${text}`);
  // `process` turns ::ffff:a.b.c.d into IPv4, as Go's To4 does.
  const parsed = ipaddr.process(text);
  let value = 0n;
  for (const byte of parsed.toByteArray()) value = (value << 8n) | BigInt(byte);
  return { family: parsed.kind() === 'ipv4' ? 4 : 6, value };
};

export const formatIp = (family: 4 | 6, value: bigint): string => {
  const bytes: number[] = [];
  for (let shift = BigInt(bitsOf(family)) - 8n; shift >= 0n; shift -= 8n) bytes.push(Number((value >> shift) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
};

export const withoutPrefix = (address: string): string => address.split('/')[0] ?? address;

export const parseCidr = (text: string): Ip & { prefix: number } => {
  const [address = '', prefix] = text.split('/');
  if (prefix === undefined || !/^\d{1,3}$/.test(prefix)) throw new Error(`invalid CIDR address: ${text}`);
  const ip = parseIp(address);
  if (Number(prefix) > bitsOf(ip.family)) throw new Error(`invalid CIDR address: ${text}`);
  return { ...ip, prefix: Number(prefix) };
};

/** One element of host-local's `ranges`, or the old form with `subnet` directly in `ipam`. */
export const parseRange = (config: JsonObject): IpRange => {
  const subnet = parseCidr(stringAt(config, 'subnet'));
  const hostBits = BigInt(bitsOf(subnet.family) - subnet.prefix);
  const network = (subnet.value >> hostBits) << hostBits;
  const broadcast = network + (1n << hostBits) - 1n;
  const [start, end, gateway] = ['rangeStart', 'rangeEnd', 'gateway'].map((key) => stringAt(config, key));
  return {
    family: subnet.family,
    prefix: subnet.prefix,
    first: start ? parseIp(start).value : network + 1n,
    last: end ? parseIp(end).value : subnet.family === 4 ? broadcast - 1n : broadcast,
    gateway: gateway ? parseIp(gateway).value : network + 1n,
  };
};

export const rangeContains = (range: IpRange, ip: Ip): boolean =>
  range.family === ip.family && ip.value >= range.first && ip.value <= range.last;

export const formatRanges = (ranges: readonly IpRange[]): string =>
  ranges.map((range) => `${formatIp(range.family, range.first)}-${formatIp(range.family, range.last)}`).join(',');
