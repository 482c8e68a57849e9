// Which interface of the host carries an address, from the tables that the kernel prints under /proc/<pid>/net for the network
// namespace of that process. IPv6 addresses are listed there with their interface. IPv4 addresses are not: that the host has
// one is in one table, and the interface whose network it is on in another; doubt counts as not found.
import ipaddr from 'ipaddr.js';

export interface HostTables {
  /** `route`: the IPv4 routes of the main table. */
  readonly routes: string;
  /** `fib_trie`: all IPv4 destinations, with their kind. */
  readonly destinations: string;
  /** `if_inet6`; empty where the kernel has no IPv6. */
  readonly inet6: string;
}

export type Carrier =
  | { readonly state: 'found'; readonly address: string; readonly device: string }
  | { readonly state: 'missing'; readonly problem: string };

/** The interface that carries the first of these addresses that any interface carries. */
export const findCarrier = (addresses: readonly string[], tables: HostTables): Carrier => {
  const problems: string[] = [];
  for (const address of addresses) {
    const devices = devicesOf(address, tables).filter((device) => device !== 'lo');
    const [device] = devices;
    if (device !== undefined && devices.length === 1) return { state: 'found', address, device };
    problems.push(
      device === undefined
        ? `no interface of the node was found to carry its address ${address}`
        : `${devices.join(' and ')} are all on the network of the node's address ${address}`,
    );
  }
  const problem = problems.length === 0 ? "the node's own address is not known yet" : problems.join('; ');
  return { state: 'missing', problem };
};

const devicesOf = (address: string, tables: HostTables): readonly string[] => {
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? devicesOfV4(toNumber(parsed.toByteArray()), tables)
    : devicesOfV6(parsed.toByteArray(), tables.inet6);
};

const devicesOfV6 = (bytes: readonly number[], inet6: string): readonly string[] => {
  const wanted = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const rows = inet6.split('\n').map((line) => line.trim().split(/\s+/));
  return unique(rows.filter(([address]) => address === wanted).flatMap(([, , , , , device]) => device ?? []));
};

interface LinkRoute {
  readonly device: string;
  readonly network: number;
  readonly mask: number;
}

/**
 * An address brings three things along: itself as a local destination, a route to its network over its interface, and the
 * broadcast address of that network as a destination. A route alone proves nothing: a VPN may have a wider one.
 */
const devicesOfV4 = (address: number, { routes, destinations }: HostTables): readonly string[] => {
  const known = parseDestinations(destinations);
  if (!known.has(`${address} LOCAL`)) return [];
  const fitting = parseRoutes(routes).filter(
    ({ network, mask }) =>
      mask !== 0 && (address & mask) >>> 0 === network && known.has(`${(network | ~mask) >>> 0} BROADCAST`),
  );
  const narrowest = Math.max(...fitting.map(({ mask }) => mask));
  return unique(fitting.filter(({ mask }) => mask === narrowest).map(({ device }) => device));
};

const UP = 0x1;
const GATEWAY = 0x2;
const REJECT = 0x200;

const parseRoutes = (text: string): readonly LinkRoute[] =>
  text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device, destination = '', , flags = '', , , , mask = ''] = line.trim().split(/\s+/);
      if (device === undefined || !isWord(destination) || !isWord(mask)) return [];
      if ((Number.parseInt(flags, 16) & (UP | GATEWAY | REJECT)) !== UP) return [];
      return [{ device, network: wordToNumber(destination), mask: wordToNumber(mask) }];
    });

/** `<address> <kind>` of every single address: `|-- 10.0.0.5`, followed by lines such as `/32 host LOCAL`. */
const parseDestinations = (text: string): ReadonlySet<string> => {
  const found = new Set<string>();
  let leaf: number | undefined;
  for (const line of text.split('\n')) {
    const [, address, kind] = /^\s*(?:\|-- (\S+)|\/32 \S+ (LOCAL|BROADCAST))/.exec(line) ?? [];
    if (address !== undefined)
      leaf = ipaddr.IPv4.isValid(address) ? toNumber(ipaddr.IPv4.parse(address).octets) : undefined;
    else if (kind !== undefined && leaf !== undefined) found.add(`${leaf} ${kind}`);
  }
  return found;
};

const isWord = (text: string): boolean => /^[0-9A-Fa-f]{8}$/.test(text);

/** The kernel prints an address as if it were one of its own numbers, so the order of bytes is that of the machine. */
const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

const wordToNumber = (word: string): number => {
  const bytes = [0, 2, 4, 6].map((start) => Number.parseInt(word.slice(start, start + 2), 16));
  return toNumber(isLittleEndian ? bytes.reverse() : bytes);
};

const toNumber = (bytes: readonly number[]): number => bytes.reduce((number, byte) => number * 256 + byte, 0);

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
