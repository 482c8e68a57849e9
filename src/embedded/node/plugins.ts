// The CNI plugins installed on the node.
import { CniError, type CniPlugin, type PluginCall, type PluginRegistry } from './cni-plugin.ts';
import { daemonResultVersion } from './cni-result.ts';
import { numberAt, objectAt, stringAt, stringsAt } from './json-values.ts';
import { bridge, ipvlan, macvlan, makeSriov } from './link-plugins.ts';

const previous = (call: PluginCall) => {
  if (call.prevResult === undefined) throw new CniError(999, 'Required prevResult missing');
  return call.prevResult;
};

const tunedMac = (call: PluginCall): string =>
  stringAt(objectAt(call.config, 'runtimeConfig'), 'mac') || call.args.get('MAC') || stringAt(call.config, 'mac');

/** Chained after another plugin: changes MAC and MTU of its link and hands its result on. */
const tuning: CniPlugin = {
  add(call, world) {
    const result = previous(call);
    const mac = tunedMac(call);
    const mtu = numberAt(call.config, 'mtu');
    if (mac || mtu) world.kernel.changeLink(call.netns, call.ifname, { ...(mac && { mac }), ...(mtu && { mtu }) });
    if (!mac) return result;
    const interfaces = result.interfaces?.map((each) =>
      each.name === call.ifname && each.sandbox === call.netns ? { ...each, mac } : each,
    );
    return { ...result, ...(interfaces && { interfaces }) };
  },
  del() {},
  check(call, world) {
    previous(call);
    const link = world.kernel.findLink(call.netns, call.ifname);
    if (link === undefined) throw new CniError(999, `Cannot find container link ${call.ifname}`);
    const mac = tunedMac(call);
    if (mac && mac !== link.mac) {
      throw new CniError(
        999,
        `Error: Tuning configured Ethernet of ${call.ifname} is ${mac}, current value is ${link.mac}`,
      );
    }
    const mtu = numberAt(call.config, 'mtu');
    if (mtu && mtu !== link.mtu) {
      throw new CniError(999, `Error: Tuning configured MTU of ${call.ifname} is ${mtu}, current value is ${link.mtu}`);
    }
  },
};

/** `lo` is there from the start. */
const loopback: CniPlugin = {
  add: (call) => ({
    cniVersion: daemonResultVersion,
    interfaces: [{ mac: '00:00:00:00:00:00', name: call.ifname, sandbox: call.netns }],
    ips: [{ address: '127.0.0.1/8', interface: 0 }],
  }),
  del() {},
  check() {},
};

/**
 * A bridge that fails where its config says: `{"failOn": ["ADD"], "halfWay": true, "message": "..."}`. With `halfWay`
 * the link and the address stay behind, so that only a DEL cleans up.
 */
const faulty: CniPlugin = {
  add(call, world) {
    if (call.config['halfWay'] !== true) failIfAsked(call, 'ADD');
    const result = bridge.add(call, world);
    failIfAsked(call, 'ADD');
    return result;
  },
  del(call, world) {
    failIfAsked(call, 'DEL');
    bridge.del(call, world);
  },
  check(call, world) {
    failIfAsked(call, 'CHECK');
    bridge.check(call, world);
  },
};

const failIfAsked = (call: PluginCall, command: string): void => {
  if (!stringsAt(call.config, 'failOn').includes(command)) return;
  throw new CniError(
    numberAt(call.config, 'code') || 999,
    stringAt(call.config, 'message') || `faulty: ${command} failed`,
  );
};

export const installedPlugins = (): PluginRegistry =>
  new Map([
    ['bridge', bridge],
    ['macvlan', macvlan],
    ['ipvlan', ipvlan],
    ['sriov', makeSriov()],
    ['tuning', tuning],
    ['loopback', loopback],
    ['faulty', faulty],
  ]);
