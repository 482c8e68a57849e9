import { describe, expect, it } from 'vitest';
import type { CniResult } from './cni-result.ts';
import { type CreatedAttachment, isStatusOf, statusOfCreation } from './creation-status.ts';
import { formatNetworkStatus } from './network-status.ts';

const inPod = (name: string) => ({ name, mac: `02:00:00:00:00:0${name.length}`, sandbox: '/run/netns/1' });
const created = (network: string, name: string, result: Partial<CniResult>): CreatedAttachment => ({
  network,
  interface: name,
  result: { interfaces: [], ips: [], routes: [], dns: {}, ...result },
});

describe('the status of a sandbox that was just made', () => {
  it('reads as Multus writes it', () => {
    const entries = statusOfCreation([
      created('podnet', 'eth0', {
        interfaces: [{ name: 'cni0' }, inPod('eth0')],
        ips: [{ address: '10.244.1.2/24', gateway: '10.244.1.1', interface: 1 }],
        routes: [{ dst: '0.0.0.0/0', gw: '10.244.1.1' }],
      }),
      created('shop/blue', 'net1', {
        interfaces: [inPod('net1')],
        ips: [{ address: '10.99.0.2/24', gateway: '10.99.0.1', interface: 0 }],
      }),
    ]);
    expect(formatNetworkStatus(entries)).toBe(`[{
    "name": "podnet",
    "interface": "eth0",
    "ips": [
        "10.244.1.2"
    ],
    "mac": "02:00:00:00:00:04",
    "default": true,
    "dns": {},
    "gateway": [
        "10.244.1.1"
    ]
},{
    "name": "shop/blue",
    "interface": "net1",
    "ips": [
        "10.99.0.2"
    ],
    "mac": "02:00:00:00:00:04",
    "dns": {}
}]`);
  });

  const legs = [{ name: 'host' }, inPod('eth0'), inPod('second')];
  it.each([
    ['the one whose address has a gateway', [{ address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 2 }], 'second'],
    ['the first, where no address has a gateway', [{ address: '10.0.0.2/24', interface: 2 }], 'eth0'],
    ['the first, where the gateway is of no interface', [{ address: '10.0.0.2/24', gateway: '10.0.0.1' }], 'eth0'],
  ])('has as the default, of several interfaces: %s', (_, ips, primary) => {
    const entries = statusOfCreation([created('podnet', 'eth0', { interfaces: legs, ips })]);
    expect(entries.filter((entry) => entry.default).map((entry) => entry.interface)).toEqual([primary]);
    expect(entries).toHaveLength(2);
  });

  it('tells of the default network even if nothing but its name is known', () => {
    expect(statusOfCreation([created('podnet', 'eth0', {})])).toEqual([
      { name: 'podnet', interface: 'eth0', default: true, dns: {} },
    ]);
  });

  it('tells the device of a device plugin', () => {
    const vf = { ...created('shop/vf', 'net1', { interfaces: [inPod('net1')] }), deviceId: '0000:01:00.1' };
    expect(statusOfCreation([created('podnet', 'eth0', {}), vf])[1]?.['device-info']).toEqual({
      type: 'pci',
      version: '1.1.0',
      pci: { 'pci-address': '0000:01:00.1' },
    });
  });
});

describe('a status', () => {
  const sandbox = (mac: string, address: string) => [
    created('podnet', 'eth0', {
      interfaces: [{ ...inPod('eth0'), mac }],
      ips: [{ address, interface: 0 }],
    }),
    created('shop/blue', 'net1', { interfaces: [inPod('net1')] }),
  ];
  const own = sandbox('02:00:00:00:00:01', '10.0.0.2/24');

  it('is of its sandbox, whatever was plugged and unplugged since', () => {
    const [primary] = statusOfCreation(own);
    const plugged = { name: 'shop/red', interface: 'r0' };
    expect(isStatusOf(statusOfCreation(own), own)).toBe(true);
    expect(isStatusOf([plugged, ...(primary ? [primary] : [])], own)).toBe(true);
  });

  it.each([
    ['another address', sandbox('02:00:00:00:00:01', '10.0.0.3/24')],
    ['another MAC', sandbox('02:00:00:00:00:02', '10.0.0.2/24')],
  ])('is of another sandbox: the default network has %s', (_, other) => {
    expect(isStatusOf(statusOfCreation(other), own)).toBe(false);
  });

  it('without the default network is of no sandbox', () => {
    expect(isStatusOf([{ name: 'shop/blue', interface: 'net1' }], own)).toBe(false);
  });
});
