// Tables as a Linux kernel printed them, byte for byte: a node with a VLAN on a bond that carries its addresses, the bond itself with
// another one, and a bridge for pods. Made in a network namespace with veth pairs of these names: to these tables a device is its name.
import { describe, expect, it } from 'vitest';
import { findCarrier } from './host-interfaces.ts';

const pad = (line: string): string => line.padEnd(127);
const routes = `${[
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
  'bond0.100\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
  'bond0.100\t0000F40A\t0B0200C0\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  'cni0\t0001F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  'bond0.100\t000200C0\t00000000\t0001\t0\t0\t0\tC0FFFFFF\t0\t0\t0',
  'bond0\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
]
  .map(pad)
  .join('\n')}\n`;

/** Printed twice by kernels whose two tables are one. */
const trie = `  +-- 0.0.0.0/0 3 0 5
     +-- 0.0.0.0/4 2 0 2
        |-- 0.0.0.0
           /0 universe UNICAST
        +-- 10.244.0.0/23 2 0 1
           |-- 10.244.0.0
              /24 universe UNICAST
           +-- 10.244.1.0/31 1 0 0
              |-- 10.244.1.0
                 /24 link UNICAST
              |-- 10.244.1.1
                 /32 host LOCAL
           |-- 10.244.1.255
              /32 link BROADCAST
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     +-- 192.0.0.0/5 2 0 2
        +-- 192.0.2.0/26 2 1 2
           +-- 192.0.2.0/28 2 0 2
              |-- 192.0.2.0
                 /26 link UNICAST
              |-- 192.0.2.10
                 /32 host LOCAL
           |-- 192.0.2.63
              /32 link BROADCAST
        +-- 198.51.100.0/24 2 0 2
           +-- 198.51.100.0/29 2 0 2
              |-- 198.51.100.0
                 /24 link UNICAST
              |-- 198.51.100.7
                 /32 host LOCAL
           |-- 198.51.100.255
              /32 link BROADCAST
`;
const inet6 = `fe800000000000008810ddfffef4c2a1 05 40 20 c0 bond0.100
00000000000000000000000000000001 01 80 10 80       lo
20010db8010000000000000000000010 05 40 00 82 bond0.100
fe8000000000000094e331fffe00a7c7 03 40 20 c0    bond0
fe80000000000000a026fcfffe2cb79d 06 40 20 c0     cni0
`;
const tables = { routes, destinations: `Main:\n${trie}Local:\n${trie}`, inet6 };

describe('in tables that a kernel printed', () => {
  it.each([
    ['an IPv4 address on a VLAN of a bond', '192.0.2.10', 'bond0.100'],
    ['an IPv6 address on a VLAN of a bond', '2001:db8:100::10', 'bond0.100'],
    ['an address on the bond itself', '198.51.100.7', 'bond0'],
    ['an address on a bridge', '10.244.1.1', 'cni0'],
  ])('%s is found', (_, address, device) => {
    expect(findCarrier([address], tables)).toEqual({ state: 'found', address, device });
  });

  it.each(['127.0.0.1', '::1', '192.0.2.11', '192.0.2.63', '2001:db8:100::11', '10.244.0.1'])(
    '%s is not, being of no interface, or of another node',
    (address) => {
      expect(findCarrier([address], tables)).toMatchObject({ state: 'missing' });
    },
  );
});
