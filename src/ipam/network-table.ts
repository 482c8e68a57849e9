// Every network with persistent addresses, read from all NetworkAttachmentDefinitions together: the same name in several of
// them is one network, and no two networks give out the same address unless they are told to. Of two that disagree the
// older one holds, so a new definition can never disturb an old one.
import { type NetworkName, splitName } from '../model/keys.ts';
import { doOverlap, formatCidr } from './address-number.ts';
import { type NetworkReading, type PersistentNetwork, readNetworkConfig } from './network-config.ts';

export interface NetworkSource {
  readonly network: NetworkName;
  readonly config: string;
  readonly createdAt: string;
}

export interface NetworkTable {
  /** Undefined when there is no such NetworkAttachmentDefinition. */
  readonly findReading: (nad: NetworkName) => NetworkReading | undefined;
  /** Of a claim: by the definition that it names, else by its network's name, those of its own namespace first. */
  readonly findClaimReading: (claim: ClaimOnNetwork) => NetworkReading | undefined;
  /** The switched-on definition with role `primary` that a namespace has, if any. */
  readonly findPrimary: (namespace: string) => { readonly nad: NetworkName; readonly name: string } | undefined;
  /** Networks whose addresses we give out, by name. */
  readonly pools: ReadonlyMap<string, PersistentNetwork>;
}

interface ClaimOnNetwork {
  readonly namespace: string;
  readonly network: string;
  readonly nad: NetworkName | undefined;
}

interface Defined {
  readonly nad: NetworkName;
  readonly network: PersistentNetwork;
}

export const buildNetworkTable = (sources: Iterable<NetworkSource>): NetworkTable => {
  const readings = new Map<NetworkName, NetworkReading>();
  const byName = new Map<string, NetworkName[]>();
  const defined = new Map<string, Defined>();
  for (const { network: nad, config } of [...sources].sort(byAge)) {
    const reading = acceptInto(defined, nad, readNetworkConfig(nad, config));
    readings.set(nad, reading);
    const name = nameOf(reading);
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), nad]);
  }

  const findByName = ({ namespace, network }: ClaimOnNetwork): NetworkName | undefined => {
    const nads = byName.get(network) ?? [];
    return nads.find((nad) => splitName(nad)?.namespace === namespace) ?? nads[0];
  };
  return {
    findReading: (nad) => readings.get(nad),
    findClaimReading: (claim) => {
      const nad = claim.nad ?? findByName(claim);
      const reading = nad && readings.get(nad);
      if (reading === undefined || nameOf(reading) === undefined || nameOf(reading) === claim.network) return reading;
      const problem = `the claim is of network ${claim.network}, but NetworkAttachmentDefinition ${nad} calls its network ${nameOf(reading)}; give it its old name back, or delete the claim when its workload is stopped`;
      return { state: 'invalid', name: claim.network, problem };
    },
    findPrimary: (namespace) => {
      for (const [nad, reading] of readings) {
        const isPrimary = reading.state === 'on' && reading.network.role === 'primary';
        if (isPrimary && splitName(nad)?.namespace === namespace) return { nad, name: reading.network.name };
      }
      return undefined;
    },
    pools: new Map([...defined].map(([name, { network }]) => [name, network])),
  };
};

const byAge = (a: NetworkSource, b: NetworkSource): number =>
  compareTexts(a.createdAt, b.createdAt) || compareTexts(a.network, b.network);

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const nameOf = (reading: NetworkReading): string | undefined => {
  if (reading.state === 'on') return reading.network.name;
  return reading.state === 'invalid' ? reading.name : undefined;
};

/** Adds a sound network of ours to those that are defined; one that contradicts an older one becomes invalid instead. */
const acceptInto = (defined: Map<string, Defined>, nad: NetworkName, reading: NetworkReading): NetworkReading => {
  if (reading.state !== 'on' || reading.network.allocator !== 'ours') return reading;
  const { network } = reading;
  const problem = findContradiction(defined, nad, network);
  if (problem !== undefined) return { state: 'invalid', name: network.name, problem };
  if (!defined.has(network.name)) defined.set(network.name, { nad, network });
  return reading;
};

const findContradiction = (
  defined: ReadonlyMap<string, Defined>,
  nad: NetworkName,
  network: PersistentNetwork,
): string | undefined => {
  const namesake = defined.get(network.name);
  if (namesake !== undefined) {
    if (addressesOf(namesake.network) === addressesOf(network)) return undefined;
    return `name of NetworkAttachmentDefinition ${nad} is "${network.name}": ${namesake.nad} defines that network with other addresses; give it another name, or the same subnets, excludeSubnets and gateway`;
  }
  if (network.mayOverlap) return undefined;
  for (const { nad: other, network: older } of defined.values()) {
    for (const subnet of network.subnets) {
      const overlapped = older.subnets.find((candidate) => doOverlap(candidate, subnet));
      if (overlapped === undefined) continue;
      return `subnets of NetworkAttachmentDefinition ${nad} is "${formatCidr(subnet)}": it overlaps ${formatCidr(overlapped)} of ${other}; choose other subnets, or set allowOverlappingSubnets: true if the networks can never meet`;
    }
  }
  return undefined;
};

const addressesOf = ({ subnets, excluded, gateways, hasNoGateway }: PersistentNetwork): string =>
  JSON.stringify([
    subnets.map(formatCidr),
    excluded.map(formatCidr),
    gateways.map(({ value }) => String(value)),
    hasNoGateway,
  ]);
