import { beforeEach, describe, expect, it } from 'vitest';
import { bridgeConfig } from './delegate-client.ts';
import { IpamStore } from './ipam-store.ts';
import type { JsonObject } from './json-values.ts';
import { Kernel } from './kernel.ts';
import { Libcni, type RuntimeConf } from './libcni.ts';
import { installedPlugins } from './plugins.ts';

let kernel: Kernel;
let ipam: IpamStore;
let libcni: Libcni;
let netns: string;

beforeEach(() => {
  kernel = new Kernel();
  ipam = new IpamStore();
  libcni = new Libcni(installedPlugins(), { kernel, ipam });
  netns = kernel.createNetns();
});

const runtime = (overrides: Partial<RuntimeConf> = {}): RuntimeConf => ({
  containerId: 'c1',
  netns,
  ifname: 'net1',
  args: new Map(),
  capabilityArgs: {},
  ...overrides,
});

const list = (...plugins: JsonObject[]): JsonObject => ({ cniVersion: '1.0.0', name: 'tenant', plugins });

describe('ADD', () => {
  it('makes the link, takes an address, reports both sides and remembers the result', () => {
    const result = libcni.add(bridgeConfig(), runtime());
    const [inPod] = kernel.links(netns).filter((link) => link.name === 'net1');
    expect(inPod).toMatchObject({ addresses: ['10.20.0.2/24'], network: 'tenant', type: 'veth' });
    expect(result.interfaces?.map(({ sandbox }) => sandbox)).toEqual([undefined, undefined, netns]);
    expect(result.interfaces?.[2]?.mac).toBe(inPod?.mac);
    expect(result.ips).toEqual([{ address: '10.20.0.2/24', gateway: '10.20.0.1', interface: 2 }]);
    expect(libcni.cachedResults).toEqual(['tenant-c1-net1']);
  });

  it.each([
    ['1.0.0', { mtu: 9000, pciID: '0000:01:00.1' }],
    ['0.4.0', {}],
    ['0.3.1', {}],
  ])('in version %s says of MTU and PCI address what that version can', (cniVersion, extra) => {
    const config = { cniVersion, name: 'vf', type: 'sriov', deviceID: '0000:01:00.1', mtu: 9000 };
    const result = libcni.add(config, runtime());
    expect(result.interfaces).toEqual([{ mac: expect.any(String), name: 'net1', sandbox: netns, ...extra }]);
    expect(result.cniVersion).toBe(cniVersion);
  });

  it('without cniVersion answers as 0.2.0 does: no interfaces', () => {
    const { cniVersion: _, ...config } = bridgeConfig();
    expect(libcni.add(config, runtime()).interfaces).toBeUndefined();
  });

  it('takes the link back when IPAM fails', () => {
    const config = bridgeConfig({ ipam: { type: 'host-local', subnet: '10.20.0.0/30' } });
    libcni.add(config, runtime());
    const second = kernel.createNetns();
    expect(() => libcni.add(config, runtime({ containerId: 'c2', netns: second }))).toThrow(
      'failed to allocate for range 0: no IP addresses available in range set: 10.20.0.1-10.20.0.2',
    );
    expect(kernel.findLink(second, 'net1')).toBeUndefined();
  });

  it('half-way leaves link and address behind, and no cached result; DEL cleans up', () => {
    expect(() => libcni.add(bridgeConfig(), runtime(), 'killed')).toThrow('killed');
    expect(kernel.findLink(netns, 'net1')).toBeDefined();
    expect(ipam.inspect()).toHaveLength(1);
    expect(libcni.cachedResults).toEqual([]);
    libcni.del(bridgeConfig(), runtime());
    expect(kernel.findLink(netns, 'net1')).toBeUndefined();
    expect(ipam.inspect()).toEqual([]);
  });

  it('walks a list forward: tuning changes what bridge made', () => {
    const result = libcni.add(
      list(bridgeConfig(), { type: 'tuning', capabilities: { mac: true }, mtu: 1400 }),
      runtime({ capabilityArgs: { mac: '02:00:00:00:00:09' } }),
    );
    expect(result.interfaces?.[2]?.mac).toBe('02:00:00:00:00:09');
    expect(kernel.findLink(netns, 'net1')).toMatchObject({ mac: '02:00:00:00:00:09', mtu: 1400 });
  });

  it.each([
    ['an unknown plugin', { type: 'nope' }, {}, 'failed to find plugin "nope" in path [/opt/cni/bin]'],
    ['a missing master', { type: 'macvlan', master: 'eth9' }, {}, 'failed to lookup master "eth9": Link not found'],
    ['no name', { name: '' }, {}, 'missing network name:'],
    ['a long interface name', {}, { ifname: 'x'.repeat(16) }, 'interface name is too long'],
    ['a version of the future', { cniVersion: '9.9.9' }, {}, 'incompatible CNI versions; config is "9.9.9"'],
    ['a VF without device', { type: 'sriov' }, {}, 'VF pci addr is required'],
  ])('refuses %s', (_what, config, overrides, text) => {
    expect(() => libcni.add(bridgeConfig(config), runtime(overrides))).toThrow(text);
    expect(ipam.inspect()).toEqual([]);
  });

  it('names the failing plugin of a list', () => {
    expect(() => libcni.add(list(bridgeConfig(), { type: 'faulty', failOn: ['ADD'] }), runtime())).toThrow(
      'plugin type="faulty" failed (add): faulty: ADD failed',
    );
  });
});

describe('requests', () => {
  const ipsIn = (capabilityArgs: JsonObject, args: [string, string][] = [], config: JsonObject = {}) =>
    libcni.add(bridgeConfig(config), runtime({ capabilityArgs, args: new Map(args) })).ips?.map((ip) => ip.address);

  it('are ignored in runtimeConfig unless the config declares the capability', () => {
    expect(ipsIn({ ips: ['10.20.0.77'] })).toEqual(['10.20.0.2/24']);
  });
  it('are honoured in runtimeConfig when it does', () => {
    expect(ipsIn({ ips: ['10.20.0.77/24'] }, [], { capabilities: { ips: true } })).toEqual(['10.20.0.77/24']);
  });
  it('are honoured in CNI_ARGS in any case', () => {
    expect(ipsIn({}, [['IP', '10.20.0.78/24']])).toEqual(['10.20.0.78/24']);
  });
  it('fail with several addresses in CNI_ARGS, as host-local does', () => {
    expect(() => ipsIn({}, [['IP', '10.20.0.78,10.20.0.79']])).toThrow('invalid IP address 10.20.0.78,10.20.0.79');
  });
  it('fail for an address outside the range, and take nothing', () => {
    expect(() => ipsIn({}, [['IP', '10.99.0.1']])).toThrow('failed to allocate all requested IPs: 10.99.0.1');
    expect(ipam.inspect()).toEqual([]);
  });
  it('of addresses go to static IPAM in CIDR notation, and are held nowhere', () => {
    expect(ipsIn({}, [['IP', '10.30.0.5/24']], { ipam: { type: 'static' } })).toEqual(['10.30.0.5/24']);
    expect(ipam.inspect()).toEqual([]);
  });
  it('without CIDR notation are refused by static IPAM', () => {
    expect(() => ipsIn({}, [['IP', '10.30.0.5']], { ipam: { type: 'static' } })).toThrow(
      "the 'ip' field is expected to be in CIDR notation, got: '10.30.0.5'",
    );
  });
  it('of a MAC are honoured', () => {
    libcni.add(bridgeConfig(), runtime({ args: new Map([['MAC', '02:00:00:00:00:42']]) }));
    expect(kernel.findLink(netns, 'net1')?.mac).toBe('02:00:00:00:00:42');
  });
});

describe('DEL', () => {
  it.each([
    ['with the namespace', () => netns],
    ['with an empty namespace', () => ''],
    ['with a namespace that is gone', () => '/var/run/netns/gone'],
  ])('%s frees the address, and a second time is fine', (_how, path) => {
    libcni.add(bridgeConfig(), runtime());
    libcni.del(bridgeConfig(), runtime({ netns: path() }));
    libcni.del(bridgeConfig(), runtime({ netns: path() }));
    expect(ipam.inspect()).toEqual([]);
    expect(libcni.cachedResults).toEqual([]);
  });

  it('gives a VF back', () => {
    const config = { cniVersion: '1.0.0', name: 'vf', type: 'sriov', deviceID: '0000:01:00.1' };
    libcni.add(config, runtime());
    const other = runtime({ containerId: 'c2', netns: kernel.createNetns() });
    expect(() => libcni.add(config, other)).toThrow('pci address 0000:01:00.1 is already allocated');
    libcni.del(config, runtime());
    libcni.add(config, other);
  });
});

describe('CHECK', () => {
  it('is not for versions before 0.4.0', () => {
    expect(() => libcni.check(bridgeConfig({ cniVersion: '0.3.1' }), runtime())).toThrow(
      'configuration version "0.3.1" does not support the CHECK command',
    );
  });
  it('needs the result of an ADD', () => {
    const config = bridgeConfig({ ipam: { type: 'static' } });
    expect(() => libcni.check(config, runtime())).toThrow('Required prevResult missing');
  });
  it('passes after ADD', () => {
    libcni.add(bridgeConfig(), runtime());
    libcni.check(bridgeConfig(), runtime());
  });
  it('finds a link that is gone', () => {
    libcni.add(bridgeConfig(), runtime());
    kernel.removeLink(netns, 'net1');
    expect(() => libcni.check(bridgeConfig(), runtime())).toThrow('Interface name net1 not found');
  });
  it('finds an address that is gone from the link, and one that is gone from IPAM', () => {
    libcni.add(bridgeConfig(), runtime());
    kernel.changeLink(netns, 'net1', { addresses: [] });
    expect(() => libcni.check(bridgeConfig(), runtime())).toThrow(
      'Failed to match addr 10.20.0.2/24 on interface net1',
    );
    ipam.free({ network: 'tenant', containerId: 'c1', ifname: 'net1' });
    expect(() => libcni.check(bridgeConfig(), runtime())).toThrow('Failed to find address added by container c1');
  });
  it('always fails for a bridge without IPAM, never for such a macvlan', () => {
    const [plain, macvlan] = [bridgeConfig({ ipam: {} }), bridgeConfig({ type: 'macvlan', ipam: {}, name: 'mv' })];
    libcni.add(plain, runtime());
    expect(() => libcni.check(plain, runtime())).toThrow('no plugin name provided');
    libcni.add(macvlan, runtime({ ifname: 'net2' }));
    libcni.check(macvlan, runtime({ ifname: 'net2' }));
  });
});
