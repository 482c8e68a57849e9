import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCarrier, type HostTables } from './host-interfaces.ts';

const word = (address: string): string =>
  address
    .split('.')
    .reverse()
    .map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase())
    .join('');

interface Route {
  readonly device: string;
  readonly network: string;
  readonly mask: string;
  readonly gateway?: string;
  readonly flags?: string;
}

/** As the kernel prints them: padded with spaces, addresses as numbers of the machine. */
const routesOf = (routes: readonly Route[]): string =>
  [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT      ',
    ...routes.map(({ device, network, mask, gateway = '0.0.0.0', flags = gateway === '0.0.0.0' ? '0001' : '0003' }) =>
      [device, word(network), word(gateway), flags, '0', '0', '0', word(mask), '0', '0', '0      '].join('\t'),
    ),
    '',
  ].join('\n');

const destinationsOf = (leaves: Readonly<Record<string, readonly string[]>>): string =>
  [
    'Main:',
    '  +-- 0.0.0.0/0 3 0 5',
    ...Object.entries(leaves).flatMap(([address, kinds]) => [
      `        |-- ${address}`,
      ...kinds.map((kind) => `           ${kind}`),
    ]),
    'Local:',
    '  +-- 0.0.0.0/0 3 0 5',
    '',
  ].join('\n');

const local = ['/32 host LOCAL'];
const broadcast = ['/32 link BROADCAST'];
const eth0: Route = { device: 'eth0', network: '172.21.0.0', mask: '255.255.0.0' };

/** A node with 172.21.0.3/16 on eth0 and pods on cni0. */
const usual: HostTables = {
  routes: routesOf([
    { device: 'eth0', network: '0.0.0.0', mask: '0.0.0.0', gateway: '172.21.0.1' },
    { device: 'eth0', network: '10.244.0.0', mask: '255.255.255.0', gateway: '172.21.0.2' },
    { device: 'cni0', network: '10.244.1.0', mask: '255.255.255.0' },
    eth0,
  ]),
  destinations: destinationsOf({
    '0.0.0.0': ['/0 universe UNICAST'],
    '10.244.1.0': ['/24 link UNICAST'],
    '10.244.1.1': local,
    '10.244.1.255': broadcast,
    '127.0.0.1': local,
    '172.21.0.0': ['/16 link UNICAST'],
    '172.21.0.3': local,
    '172.21.255.255': broadcast,
  }),
  inet6: [
    '00000000000000000000000000000001 01 80 10 80       lo',
    'fd000000000000000000000000000005 02 40 00 80 bond0.100',
    'fe80000000000000004205fffe150003 02 40 20 80     eth0',
    '',
  ].join('\n'),
};
const on = (
  device: string,
  address: string,
  leaves: Readonly<Record<string, readonly string[]>>,
  ...routes: Route[]
) => ({
  ...usual,
  routes: routesOf([{ ...eth0, device, network: '10.0.0.0', mask: '255.255.255.0' }, ...routes]),
  destinations: destinationsOf({ [address]: local, '10.0.0.255': broadcast, ...leaves }),
});

describe('the interface that carries an address', () => {
  it.each<[string, readonly string[], HostTables, string]>([
    ['an ordinary one', ['172.21.0.3'], usual, 'eth0'],
    ['not the one of the default route, when the address is elsewhere', ['10.244.1.1'], usual, 'cni0'],
    ['a bridge', ['10.0.0.5'], on('br-node', '10.0.0.5', {}), 'br-node'],
    ['a bond', ['10.0.0.5'], on('bond0', '10.0.0.5', {}), 'bond0'],
    ['a VLAN', ['10.0.0.5'], on('eth0.100', '10.0.0.5', {}), 'eth0.100'],
    ['an IPv6 address, here on a VLAN of a bond', ['fd00::5'], usual, 'bond0.100'],
    ['an IPv6 address in another notation', ['FD00:0:0:0::0005'], usual, 'bond0.100'],
    ['the first of two that is found', ['10.9.9.9', 'fd00::5'], usual, 'bond0.100'],
    ['the first of two that are both found', ['172.21.0.3', 'fd00::5'], usual, 'eth0'],
    [
      'the narrower of two networks',
      ['10.0.0.5'],
      on(
        'eth1',
        '10.0.0.5',
        { '10.255.255.255': broadcast },
        { device: 'eth2', network: '10.0.0.0', mask: '255.0.0.0' },
      ),
      'eth1',
    ],
    [
      'an address that is a destination in several ways',
      ['10.0.0.5'],
      on('eth1', '10.0.0.9', { '10.0.0.5': ['/32 link UNICAST', '/32 host LOCAL'] }),
      'eth1',
    ],
  ])('%s', (_, addresses, tables, device) => {
    expect(findCarrier(addresses, tables)).toMatchObject({ state: 'found', device });
  });

  it.each<[string, readonly string[], HostTables, RegExp]>([
    ['nobody told the address yet', [], usual, /not known yet/],
    ['the address is of another node', ['172.21.0.4'], usual, /no interface of the node .* address 172\.21\.0\.4/],
    ['it is no address', ['node-1'], usual, /no interface/],
    ['the IPv6 address is of another node', ['fd00::6'], usual, /no interface/],
    ['there is no IPv6', ['fd00::5'], { ...usual, inet6: '' }, /no interface/],
    ['the tables cannot be read', ['172.21.0.3'], { routes: '', destinations: '', inet6: '' }, /no interface/],
    ['it is on lo', ['127.0.0.1', '::1'], usual, /127\.0\.0\.1; .*::1/],
    [
      'two interfaces are on its network',
      ['10.0.0.5'],
      on('eth1', '10.0.0.5', {}, { device: 'eth2', network: '10.0.0.0', mask: '255.255.255.0' }),
      /eth1 and eth2 are all on the network of the node's address 10\.0\.0\.5/,
    ],
    [
      'only the wide route of a tunnel covers it, which brought no address along',
      ['10.0.0.5'],
      {
        ...usual,
        routes: routesOf([{ device: 'wg0', network: '10.0.0.0', mask: '255.0.0.0' }]),
        destinations: destinationsOf({ '10.0.0.5': local }),
      },
      /no interface/,
    ],
    [
      'the route is a default route',
      ['10.0.0.5'],
      {
        ...on('eth1', '10.0.0.5', { '255.255.255.255': broadcast }),
        routes: routesOf([{ device: 'wg0', network: '0.0.0.0', mask: '0.0.0.0' }]),
      },
      /no interface/,
    ],
    [
      'the route is not up',
      ['172.21.0.3'],
      { ...usual, routes: routesOf([{ ...eth0, flags: '0000' }]) },
      /no interface/,
    ],
    ['the route refuses', ['172.21.0.3'], { ...usual, routes: routesOf([{ ...eth0, flags: '0201' }]) }, /no interface/],
  ])('is not found when %s', (_, addresses, tables, problem) => {
    expect(findCarrier(addresses, tables)).toEqual({ state: 'missing', problem: expect.stringMatching(problem) });
  });

  it('is never found by a table that nobody understands, and looking never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (routes, destinations, inet6, address) => {
        expect(findCarrier([address, '172.21.0.3'], { routes, destinations, inet6 }).state).toBe('missing');
      }),
    );
  });
});
