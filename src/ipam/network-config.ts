// What a NetworkAttachmentDefinition's config says about persistent addresses: the switch, the network's name, and which
// addresses there are to give. The fields are those of OVN-Kubernetes; any CNI plugin may be behind them.
import { isDeeperThan, isJsonObject, type JsonObject, quote } from '../model/json.ts';
import type { NetworkName } from '../model/keys.ts';
import { type Address, type Cidr, doOverlap, formatCidr, isInside, parseAddress, parseCidr } from './address-number.ts';

/** Who gives out the addresses of a network. */
export type Allocator =
  /** We do, out of `subnets`. */
  | 'ours'
  /** Somebody else fills the claims: the config has no `subnets`, or OVN-Kubernetes serves the network. */
  | 'other';

export interface PersistentNetwork {
  /** What claims call it, and what their addresses are unique in: the config's `name`, or `namespace/name` without one. */
  readonly name: string;
  readonly role: string;
  readonly allocator: Allocator;
  readonly subnets: readonly Cidr[];
  readonly excluded: readonly Cidr[];
  /** Those that the config names; a subnet without one has its first usable address kept for one. */
  readonly gateways: readonly Address[];
  readonly hasNoGateway: boolean;
  /** The administrator says that another network's equal addresses are none of this one's business. */
  readonly mayOverlap: boolean;
}

export type NetworkReading =
  | { readonly state: 'off' }
  /** Not even whether it is switched on can be told. */
  | { readonly state: 'unreadable'; readonly problem: string }
  /** Switched on, but its addresses cannot be given out. */
  | { readonly state: 'invalid'; readonly name: string; readonly problem: string }
  | { readonly state: 'on'; readonly network: PersistentNetwork };

const OTHER_ALLOCATORS = new Set(['ovn-k8s-cni-overlay']);

export const readNetworkConfig = (nad: NetworkName, configText: string): NetworkReading => {
  if (configText.trim() === '') return { state: 'off' };
  const config = parseObject(configText);
  if (config === undefined) {
    return {
      state: 'unreadable',
      problem: `the config of NetworkAttachmentDefinition ${nad} is not a JSON object: ${quote(configText)}; correct it`,
    };
  }
  const isOn = config['allowPersistentIPs'];
  if (isOn !== true) {
    if (isOn === undefined || isOn === null || isOn === false) return { state: 'off' };
    const problem = problemOf(nad, 'allowPersistentIPs', isOn, 'write true or false, without quotes');
    return { state: 'unreadable', problem };
  }
  const name = typeof config['name'] === 'string' && config['name'] !== '' ? config['name'] : nad;
  const problems: string[] = [];
  const network = readAddresses(config, name, (field, value, remedy) =>
    problems.push(problemOf(nad, field, value, remedy)),
  );
  const [problem] = problems;
  return problem === undefined ? { state: 'on', network } : { state: 'invalid', name, problem };
};

type Report = (field: string, value: unknown, remedy: string) => void;

const problemOf = (nad: NetworkName, field: string, value: unknown, remedy: string): string =>
  `${field} of NetworkAttachmentDefinition ${nad} is ${quote(value)}: ${remedy}`;

const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && !isDeeperThan(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const readAddresses = (config: JsonObject, name: string, report: Report): PersistentNetwork => {
  const role = typeof config['role'] === 'string' ? config['role'] : '';
  const subnets = readCidrs(config, 'subnets', report);
  const isOthers =
    role === 'primary' ||
    subnets.length === 0 ||
    pluginsOf(config).some(({ type }) => typeof type === 'string' && OTHER_ALLOCATORS.has(type));
  if (isOthers) return { ...nothingToGive, name, role };
  const excluded = readCidrs(config, 'excludeSubnets', report);
  checkSubnets(subnets, report);
  for (const hole of excluded) {
    const isOfSubnet = subnets.some((subnet) => doOverlap(hole, subnet));
    if (!isOfSubnet) report('excludeSubnets', formatCidr(hole), 'it lies in none of subnets; correct or remove it');
  }
  return {
    name,
    role,
    allocator: 'ours',
    subnets,
    excluded,
    gateways: readGateways(config, subnets, report),
    hasNoGateway: config['gateway'] === NO_GATEWAY,
    mayOverlap: config['allowOverlappingSubnets'] === true,
  };
};

const nothingToGive = {
  allocator: 'other',
  subnets: [],
  excluded: [],
  gateways: [],
  hasNoGateway: true,
  mayOverlap: true,
} as const;

const readCidrs = (config: JsonObject, field: string, report: Report): readonly Cidr[] => {
  const value = config[field];
  if (value === undefined || value === null || value === '') return [];
  if (typeof value !== 'string') {
    report(field, value, 'it must be a text of CIDRs with commas between them, such as "10.1.0.0/16,fd00::/64"');
    return [];
  }
  return value.split(',').flatMap((part) => {
    const cidr = parseCidr(part.trim());
    if (cidr === undefined) report(field, part.trim(), 'it must be a CIDR such as 10.1.0.0/16 or fd00::/64');
    return cidr ?? [];
  });
};

const checkSubnets = (subnets: readonly Cidr[], report: Report): void => {
  subnets.forEach((subnet, index) => {
    const other = subnets.slice(0, index).find((before) => doOverlap(before, subnet));
    if (other === undefined) return;
    report('subnets', formatCidr(subnet), `it overlaps ${formatCidr(other)} of the same network; remove one of them`);
  });
};

/** A value of `gateway` that says that every usable address may be given out. */
const NO_GATEWAY = 'none';

/** Wherever CNI configs name a router: at the top or in a plugin, in its IPAM section, in the routes there. */
const readGateways = (config: JsonObject, subnets: readonly Cidr[], report: Report): readonly Address[] => {
  const named = [config, ...pluginsOf(config)].flatMap((plugin) => {
    const ipam = isJsonObject(plugin['ipam']) ? plugin['ipam'] : {};
    return [
      ...commaList(plugin['gateway']).map((text) => ({ field: 'gateway', text })),
      ...commaList(ipam['gateway']).map((text) => ({ field: 'ipam.gateway', text })),
      ...objectsOf(ipam['addresses']).flatMap(({ address, gateway }) => [
        ...commaList(gateway).map((text) => ({ field: 'ipam.addresses.gateway', text })),
        ...commaList(address).map((text) => ({ field: 'ipam.addresses.address', text: text.split('/')[0] ?? '' })),
      ]),
      ...objectsOf(ipam['routes']).flatMap(({ gw }) =>
        commaList(gw).map((text) => ({ field: 'ipam.routes.gw', text })),
      ),
    ];
  });
  return named.flatMap(({ field, text }) => {
    if (field === 'gateway' && text === NO_GATEWAY) return [];
    const address = parseAddress(text);
    if (address === undefined) report(field, text, 'it must be an IP address');
    return address !== undefined && subnets.some((subnet) => isInside(address, subnet)) ? [address] : [];
  });
};

const commaList = (value: unknown): readonly string[] =>
  typeof value === 'string' && value !== '' ? value.split(',').map((part) => part.trim()) : [];

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const pluginsOf = (config: JsonObject): readonly JsonObject[] =>
  typeof config['type'] === 'string' ? [config] : objectsOf(config['plugins']);
