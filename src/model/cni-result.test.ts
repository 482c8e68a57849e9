import { describe, expect, it } from 'vitest';
import { type CniResult, sandboxProblem, statusEntriesOf } from './cni-result.ts';
import type { StatusEntry } from './network-status.ts';
import { network } from './test-builders.ts';

const blue = network('blue');
const none: CniResult = { interfaces: [], ips: [], routes: [], dns: {} };
const inPod = (name: string, fields: object = {}) => ({ name, sandbox: '/run/netns/1', ...fields });
const PCI = '0000:65:00.2';
const deviceInfo = { 'device-info': { type: 'pci', version: '1.1.0', pci: { 'pci-address': PCI } } };

describe('statusEntriesOf', () => {
  it.each<[string, Partial<CniResult>, Partial<StatusEntry>[]]>([
    ['a plugin that names no interface: the one that was asked for', {}, [{ interface: 'net1' }]],
    [
      'an interface of which nothing is known: its addresses all the same',
      { ips: [{ address: '10.0.0.5/24' }, { address: 'fd00::5/64' }] },
      [{ interface: 'net1', ips: ['10.0.0.5', 'fd00::5'] }],
    ],
    [
      'a single interface takes all addresses, whatever their index',
      { interfaces: [inPod('net1')], ips: [{ address: '10.0.0.5/24', interface: 7 }, { address: '10.0.0.6/24' }] },
      [{ interface: 'net1', ips: ['10.0.0.5', '10.0.0.6'] }],
    ],
    [
      'host interfaces are dropped, and addresses go by index',
      {
        interfaces: [
          { name: 'br0' },
          { name: 'veth1', sandbox: '' },
          inPod('net1', { mac: '02:00:00:00:00:01', mtu: 1500 }),
        ],
        ips: [{ address: '10.0.0.5/24', interface: 2 }],
      },
      [{ interface: 'net1', ips: ['10.0.0.5'], mac: '02:00:00:00:00:01', mtu: 1500 }],
    ],
    [
      'an address of a host interface is nobody’s',
      { interfaces: [{ name: 'br0' }, inPod('net1')], ips: [{ address: '10.0.0.1/24', interface: 0 }] },
      [{ interface: 'net1' }],
    ],
    [
      'several interfaces: an entry each, addresses by index',
      {
        interfaces: [inPod('net1'), inPod('net1.1')],
        ips: [
          { address: '10.0.1.5/24', interface: 1 },
          { address: '10.0.0.5/24', interface: 0 },
        ],
      },
      [
        { interface: 'net1', ips: ['10.0.0.5'] },
        { interface: 'net1.1', ips: ['10.0.1.5'] },
      ],
    ],
    [
      'an address without an index goes to the last of several',
      { interfaces: [inPod('net1'), inPod('net1.1')], ips: [{ address: '10.0.0.5/24' }] },
      [{ interface: 'net1' }, { interface: 'net1.1', ips: ['10.0.0.5'] }],
    ],
    [
      'gateways come from default routes of both families, others do not count',
      {
        interfaces: [inPod('net1')],
        routes: [
          { dst: '0.0.0.0/0', gw: '10.0.0.1' },
          { dst: '::/0', gw: 'fd00::1' },
          { dst: '10.9.0.0/16', gw: '10.0.0.9' },
          { dst: '0.0.0.0/0' },
        ],
      },
      [{ interface: 'net1', gateway: ['10.0.0.1', 'fd00::1'] }],
    ],
    [
      'a device that the plugin tells of',
      { interfaces: [inPod('net1', { pciID: PCI })] },
      [{ interface: 'net1', ...deviceInfo }],
    ],
    ['an MTU of zero is left out', { interfaces: [inPod('net1', { mtu: 0, mac: '' })] }, [{ interface: 'net1' }]],
  ])('%s', (_, result, expected) => {
    const entries = statusEntriesOf(blue, 'net1', { ...none, ...result });
    expect(entries).toEqual(expected.map((fields) => ({ name: 'shop/blue', dns: {}, ...fields })));
  });

  it('keeps the DNS of the result', () => {
    const dns = { nameservers: ['10.0.0.53'] };
    expect(statusEntriesOf(blue, 'net1', { ...none, dns })).toEqual([{ name: 'shop/blue', interface: 'net1', dns }]);
  });

  it.each<[string, Partial<CniResult>, string, string | undefined]>([
    ['stands in for one that the plugin cannot tell', { interfaces: [inPod('net1')] }, PCI, PCI],
    ['stands in when no interface is named either', {}, PCI, PCI],
    [
      'gives way to what the plugin tells',
      { interfaces: [inPod('net1', { pciID: '0000:01:00.1' })] },
      PCI,
      '0000:01:00.1',
    ],
    ['is no device-info when it is no PCI address', {}, 'mlx5_2', undefined],
  ])('the device that was asked for %s', (_, result, deviceId, expected) => {
    const [first] = statusEntriesOf(blue, 'net1', { ...none, ...result }, deviceId);
    const shown = expected && { type: 'pci', version: '1.1.0', pci: { 'pci-address': expected } };
    expect(first?.['device-info']).toEqual(shown);
  });

  it('writes fields in the order in which Go programs do', () => {
    const [entry] = statusEntriesOf(blue, 'net1', {
      interfaces: [inPod('net1', { mac: 'm', mtu: 1, pciID: PCI })],
      ips: [{ address: '10.0.0.5/24' }],
      routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }],
      dns: {},
    });
    expect(Object.keys(entry ?? {})).toEqual([
      'name',
      'interface',
      'ips',
      'mac',
      'mtu',
      'dns',
      'device-info',
      'gateway',
    ]);
  });
});

describe('sandboxProblem', () => {
  it.each<[string, Partial<CniResult>, boolean]>([
    ['the sandbox that was asked about', { interfaces: [{ name: 'veth1' }, inPod('net1')] }, true],
    ['the same under another path', { interfaces: [inPod('net1', { sandbox: '/var/run/netns/1' })] }, true],
    ['no interface at all', {}, true],
    ['interfaces of the node only', { interfaces: [{ name: 'br0' }, { name: 'veth1', sandbox: '' }] }, true],
    ['another sandbox', { interfaces: [inPod('net1', { sandbox: '/run/netns/2' })] }, false],
    [
      'another sandbox beside the right one',
      { interfaces: [inPod('net1'), { name: 'x', sandbox: '/run/netns/2' }] },
      false,
    ],
    ["the node's own namespace", { interfaces: [inPod('net1', { sandbox: '/proc/1/ns/net' })] }, false],
  ])('%s', (_, result, isRight) => {
    expect(sandboxProblem({ ...none, ...result }, '/run/netns/1') === undefined).toBe(isRight);
  });
});
