// Plugins that make a link in the pod's namespace: bridge, macvlan, ipvlan and an SR-IOV one. They differ in what they
// need from the host and in what they report of it; making the link, IPAM and taking both back are the same.
import { randomBytes } from 'node:crypto';
import { CniError, type CniPlugin, type PluginCall, type PluginWorld } from './cni-plugin.ts';
import { type CniInterface, type CniResult, type CniRoute, daemonResultVersion } from './cni-result.ts';
import { getIpamPlugin, type IpamResult, ipamTypeOf } from './ipam-plugins.ts';
import { numberAt, objectAt, stringAt } from './json-values.ts';
import { type Link, randomMac } from './kernel.ts';

interface LinkKind {
  readonly linkType: string;
  /** What the host has to offer, checked before anything is made; reported as interfaces without sandbox. */
  hostSide(call: PluginCall, world: PluginWorld): CniInterface[];
  pciIdOf?(call: PluginCall): string;
  release?(call: PluginCall): void;
  readonly textWhenGone: (ifname: string) => string;
  /** The real bridge plugin asks its IPAM plugin to CHECK even if it has none, which fails. */
  readonly checksMissingIpam?: boolean;
}

const macPattern = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

const wantedMac = (call: PluginCall): string => {
  const mac =
    stringAt(objectAt(call.config, 'runtimeConfig'), 'mac') ||
    stringAt(objectAt(objectAt(call.config, 'args'), 'cni'), 'mac') ||
    call.args.get('MAC') ||
    stringAt(call.config, 'mac');
  if (mac !== '' && !macPattern.test(mac)) {
    throw new CniError(999, `invalid args ${mac} for MAC addr: address ${mac}: invalid MAC address`);
  }
  return mac === '' ? randomMac() : mac.toLowerCase();
};

const isTrue = (value: unknown): boolean => value === true;

const routesOf = (call: PluginCall, ipam: IpamResult): CniRoute[] => {
  const gateway = ipam.ips.find((ip) => ip.gateway !== undefined)?.gateway;
  if (!isTrue(call.config['isDefaultGateway']) || gateway === undefined) return [...ipam.routes];
  return [...ipam.routes, { dst: gateway.includes(':') ? '::/0' : '0.0.0.0/0', gw: gateway }];
};

const openNetns = (call: PluginCall, world: PluginWorld): void => {
  if (world.kernel.hasNetns(call.netns)) return;
  const path = JSON.stringify(call.netns);
  throw new CniError(999, `failed to open netns ${path}: failed to Statfs ${path}: no such file or directory`);
};

const makeLinkPlugin = (kind: LinkKind): CniPlugin => ({
  add(call, world): CniResult {
    openNetns(call, world);
    const hostSide = kind.hostSide(call, world);
    const mtu = numberAt(call.config, 'mtu');
    const link: Link = {
      name: call.ifname,
      mac: wantedMac(call),
      mtu: mtu || 1500,
      addresses: [],
      type: kind.linkType,
      network: stringAt(call.config, 'name'),
    };
    world.kernel.addLink(call.netns, link);
    let ipam: IpamResult = { ips: [], routes: [] };
    try {
      if (ipamTypeOf(call) !== '') ipam = getIpamPlugin(ipamTypeOf(call)).add(call, world);
    } catch (error) {
      world.kernel.removeLink(call.netns, call.ifname);
      throw error;
    }
    if (ipam.ips.length > 0) {
      world.kernel.changeLink(call.netns, call.ifname, { addresses: ipam.ips.map((ip) => ip.address) });
    }
    const pciID = kind.pciIdOf?.(call) ?? '';
    const inPod: CniInterface = {
      mac: link.mac,
      ...(mtu > 0 && { mtu }),
      name: link.name,
      ...(pciID && { pciID }),
      sandbox: call.netns,
    };
    const routes = routesOf(call, ipam);
    return {
      cniVersion: daemonResultVersion,
      interfaces: [...hostSide, inPod],
      ...(ipam.ips.length > 0 && { ips: ipam.ips.map((ip) => ({ ...ip, interface: hostSide.length })) }),
      ...(routes.length > 0 && { routes }),
    };
  },

  del(call, world): void {
    if (ipamTypeOf(call) !== '') getIpamPlugin(ipamTypeOf(call)).del(call, world);
    kind.release?.(call);
    if (world.kernel.hasNetns(call.netns)) world.kernel.removeLink(call.netns, call.ifname);
  },

  check(call, world): void {
    openNetns(call, world);
    if (ipamTypeOf(call) !== '' || kind.checksMissingIpam) getIpamPlugin(ipamTypeOf(call)).check(call, world);
    if (call.prevResult === undefined) throw new CniError(999, 'Required prevResult missing');
    const expected = call.prevResult.interfaces?.find(
      (candidate) => candidate.name === call.ifname && candidate.sandbox === call.netns,
    );
    if (expected === undefined) {
      throw new CniError(999, `Sandbox in prevResult  doesn't match configured netns: ${call.netns}`);
    }
    const link = world.kernel.findLink(call.netns, call.ifname);
    if (link === undefined) throw new CniError(999, kind.textWhenGone(call.ifname));
    if (expected.mac !== undefined && expected.mac !== link.mac) {
      throw new CniError(999, `Interface ${link.name} Mac ${expected.mac} doesn't match container Mac: ${link.mac}`);
    }
    for (const { address } of call.prevResult.ips ?? []) {
      if (!link.addresses.includes(address)) {
        throw new CniError(999, `Failed to match addr ${address} on interface ${link.name}`);
      }
    }
  },
});

export const bridge = makeLinkPlugin({
  linkType: 'veth',
  hostSide(call, world) {
    const { name, mac } = world.kernel.ensureHostBridge(stringAt(call.config, 'bridge') || 'cni0');
    return [
      { mac, name },
      { mac: randomMac(), name: `veth${randomBytes(4).toString('hex')}` },
    ];
  },
  textWhenGone: (ifname) => `Interface name ${ifname} not found`,
  checksMissingIpam: true,
});

const onMaster = (linkType: string): CniPlugin =>
  makeLinkPlugin({
    linkType,
    hostSide(call, world) {
      const master = stringAt(call.config, 'master');
      if (world.kernel.findHostLink(master || 'eth0') === undefined) {
        throw new CniError(999, `failed to lookup master "${master}": Link not found`);
      }
      return [];
    },
    textWhenGone: (ifname) => `container Interface name in prevResult: ${ifname} not found`,
  });

export const macvlan = onMaster('macvlan');
export const ipvlan = onMaster('ipvlan');

const deviceOf = (call: PluginCall): string =>
  stringAt(call.config, 'deviceID') || stringAt(objectAt(call.config, 'runtimeConfig'), 'deviceID');

/** Remembers per plugin instance, so per node, which container and interface has which device. */
export const makeSriov = (): CniPlugin => {
  const users = new Map<string, string>();
  const userOf = (call: PluginCall): string => `${call.containerId} ${call.ifname}`;
  return makeLinkPlugin({
    linkType: 'sriov',
    hostSide(call) {
      const device = deviceOf(call);
      if (device === '')
        throw new CniError(999, 'SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required');
      if ((users.get(device) ?? userOf(call)) !== userOf(call)) {
        throw new CniError(999, `SRIOV-CNI failed to load netconf: pci address ${device} is already allocated`);
      }
      users.set(device, userOf(call));
      return [];
    },
    pciIdOf: deviceOf,
    release(call) {
      for (const [device, user] of users) if (user === userOf(call)) users.delete(device);
    },
    textWhenGone: (ifname) => `container Interface name in prevResult: ${ifname} not found`,
  });
};
