// The IPAM plugins host-local and static, as a link plugin calls them with its own stdin.
import { CniError, type PluginCall, type PluginWorld, pluginNotFound } from './cni-plugin.ts';
import type { CniIp, CniRoute } from './cni-result.ts';
import { formatIp, type IpRange, parseCidr, parseIp, parseRange, rangeContains, withoutPrefix } from './ip-range.ts';
import type { LeaseOwner } from './ipam-store.ts';
import { isObject, type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from './json-values.ts';

export interface IpamResult {
  readonly ips: readonly CniIp[];
  readonly routes: readonly CniRoute[];
}

interface IpamPlugin {
  add(call: PluginCall, world: PluginWorld): IpamResult;
  del(call: PluginCall, world: PluginWorld): void;
  check(call: PluginCall, world: PluginWorld): void;
}

const ipamConfig = (call: PluginCall): JsonObject => objectAt(call.config, 'ipam');

const ownerOf = (call: PluginCall): LeaseOwner => ({
  network: stringAt(call.config, 'name'),
  containerId: call.containerId,
  ifname: call.ifname,
});

const routesOf = (call: PluginCall): CniRoute[] =>
  objectsAt(ipamConfig(call), 'routes').map((route) => {
    const gw = stringAt(route, 'gw');
    return { dst: stringAt(route, 'dst'), ...(gw && { gw }) };
  });

/** `args.cni.ips`, then `runtimeConfig.ips`: the two ways to ask for addresses inside the config. */
const addressesInConfig = (call: PluginCall): { fromArgs: string[]; fromRuntime: string[] } => ({
  fromArgs: stringsAt(objectAt(objectAt(call.config, 'args'), 'cni'), 'ips'),
  fromRuntime: stringsAt(objectAt(call.config, 'runtimeConfig'), 'ips'),
});

const rangeSetsOf = (call: PluginCall): IpRange[][] => {
  const config = ipamConfig(call);
  const sets: IpRange[][] = [];
  if (stringAt(config, 'subnet') !== '') sets.push([parseRange(config)]);
  const ranges = config['ranges'];
  for (const set of Array.isArray(ranges) ? ranges : []) {
    if (Array.isArray(set)) sets.push(set.filter(isObject).map(parseRange));
  }
  if (sets.length === 0) throw new CniError(999, 'no IP ranges specified');
  return sets;
};

const requestedAddresses = (call: PluginCall): string[] => {
  const requested = new Set<string>();
  const { fromArgs, fromRuntime } = addressesInConfig(call);
  const fromEnvironment = call.args.get('IP');
  for (const text of [...(fromEnvironment ? [fromEnvironment] : []), ...fromArgs, ...fromRuntime]) {
    try {
      const ip = parseIp(withoutPrefix(text));
      requested.add(formatIp(ip.family, ip.value));
    } catch {
      // A list in CNI_ARGS too: host-local takes one address there, so Multus' "IP=a,b" ends up here.
      throw new CniError(
        999,
        `ARGS: error parsing value of pair ${JSON.stringify(`IP=${text}`)}: invalid IP address ${text}`,
      );
    }
  }
  return [...requested];
};

const hostLocal: IpamPlugin = {
  add(call, world) {
    const owner = ownerOf(call);
    const requested = requestedAddresses(call);
    const ips: CniIp[] = [];
    for (const [id, ranges] of rangeSetsOf(call).entries()) {
      const wanted = requested.findIndex((ip) => ranges.some((range) => rangeContains(range, parseIp(ip))));
      const [ip] = wanted < 0 ? [] : requested.splice(wanted, 1);
      try {
        ips.push(
          ip === undefined
            ? world.ipam.allocateNext(owner, id, ranges)
            : world.ipam.allocateRequested(owner, id, ranges, ip),
        );
      } catch (error) {
        if (ips.length > 0) world.ipam.free(owner);
        throw new CniError(
          999,
          `failed to allocate for range ${id}: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    if (requested.length > 0) {
      world.ipam.free(owner);
      throw new CniError(999, `failed to allocate all requested IPs: ${requested.join(' ')}`);
    }
    return { ips, routes: routesOf(call) };
  },
  del(call, world) {
    rangeSetsOf(call);
    world.ipam.free(ownerOf(call));
  },
  check(call, world) {
    if (world.ipam.heldBy(ownerOf(call)).length === 0) {
      throw new CniError(999, `host-local: Failed to find address added by container ${call.containerId}`);
    }
  },
};

const staticAddresses = (call: PluginCall): CniIp[] => {
  const { fromArgs, fromRuntime } = addressesInConfig(call);
  const environment = call.args.get('IP');
  const configured = objectsAt(ipamConfig(call), 'addresses').map((entry) => {
    const gateway = stringAt(entry, 'gateway');
    return { address: stringAt(entry, 'address'), ...(gateway && { gateway }) };
  });
  const added = (environment ?? '').split(',').filter((text) => text !== '');
  for (const text of added) {
    if (!isCidr(text)) throw new CniError(999, `the 'ip' field is expected to be in CIDR notation, got: '${text}'`);
  }
  const overriding = fromRuntime.length > 0 ? fromRuntime : fromArgs;
  for (const text of overriding) {
    if (!isCidr(text)) throw new CniError(999, `an entry in the 'ips' field is NOT in CIDR notation, got: '${text}'`);
  }
  if (overriding.length > 0) return overriding.map((address) => ({ address }));
  return [...configured, ...added.map((address) => ({ address }))];
};

const isCidr = (text: string): boolean => {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
};

const staticIpam: IpamPlugin = {
  add: (call) => ({ ips: staticAddresses(call), routes: routesOf(call) }),
  del: () => {},
  check(call) {
    for (const { address } of staticAddresses(call)) {
      if (!call.prevResult?.ips?.some((ip) => ip.address === address)) {
        throw new CniError(999, `static: Failed to match addr ${withoutPrefix(address)} on interface ${call.ifname}`);
      }
    }
  },
};

const plugins: ReadonlyMap<string, IpamPlugin> = new Map([
  ['host-local', hostLocal],
  ['static', staticIpam],
]);

export const ipamTypeOf = (call: PluginCall): string => stringAt(ipamConfig(call), 'type');

export const getIpamPlugin = (type: string): IpamPlugin => {
  const plugin = plugins.get(type);
  if (plugin === undefined) throw pluginNotFound(type);
  return plugin;
};
