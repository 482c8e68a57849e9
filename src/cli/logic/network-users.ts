// Networks with what their config says of them, and the interfaces that are on them.
import { parseConfig } from '../../model/cni-config.ts';
import { KnownError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { splitName } from '../../model/keys.ts';
import type { NetworkDefinition } from '../../model/network-definition.ts';
import type { PodNetworks } from './pod-networks.ts';

export interface NetworkUser {
  readonly namespace: string;
  readonly pod: string;
  readonly vm?: string;
  readonly node?: string;
  readonly interface: string;
  readonly ips: readonly string[];
  readonly ready?: boolean;
}

export interface NetworkDescription {
  readonly namespace: string;
  readonly name: string;
  /** The plugins, first to last. */
  readonly type?: string;
  readonly ipam?: string;
  readonly subnets: readonly string[];
  readonly resourceName?: string;
  readonly problem?: string;
  readonly users: readonly NetworkUser[];
  readonly notReady: number;
}

export const describeNetworks = (
  definitions: readonly NetworkDefinition[],
  pods: readonly PodNetworks[],
): readonly NetworkDescription[] => {
  const byNetwork = new Map<string, NetworkUser[]>();
  for (const pod of pods) {
    for (const each of pod.interfaces) {
      const users = byNetwork.get(each.network) ?? [];
      byNetwork.set(each.network, users);
      users.push({
        namespace: pod.namespace,
        pod: pod.pod,
        ...(pod.vm !== undefined && { vm: pod.vm }),
        ...(pod.node !== undefined && { node: pod.node }),
        interface: each.interface,
        ips: each.ips,
        ...(each.ready !== undefined && { ready: each.ready }),
      });
    }
  }
  return definitions.map((definition) => {
    const users = byNetwork.get(definition.network) ?? [];
    const { namespace = '', name = '' } = splitName(definition.network) ?? {};
    return {
      namespace,
      name,
      ...describeConfig(definition),
      ...(definition.resourceName !== undefined && { resourceName: definition.resourceName }),
      users,
      notReady: users.filter(({ ready }) => ready === false).length,
    };
  });
};

type ConfigFacts = Pick<NetworkDescription, 'type' | 'ipam' | 'subnets' | 'problem'>;

const describeConfig = ({ network, config }: NetworkDefinition): ConfigFacts => {
  if (config.trim() === '') return { type: '(file on the node)', subnets: [] };
  try {
    const parsed = parseConfig(network, config);
    const plugins = isText(parsed['type']) ? [parsed] : listOf(parsed['plugins']);
    const ipam = plugins.map((plugin) => plugin['ipam']).find(isJsonObject);
    const type = plugins.map((plugin) => String(plugin['type'] ?? '?')).join('+');
    const kind = ipam?.['type'];
    return {
      type,
      ...(isText(kind) && { ipam: kind }),
      subnets: [...subnetsOfIpam(ipam), ...subnetsField(parsed, plugins)],
    };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return { subnets: [], problem: error.message };
  }
};

/** host-local writes `ranges` or `subnet`, whereabouts `range` or `ipRanges`. */
const subnetsOfIpam = (ipam: JsonObject | undefined): readonly string[] => {
  if (ipam === undefined) return [];
  const ranges = Array.isArray(ipam['ranges']) ? ipam['ranges'].flat() : [];
  const listed = [...ranges, ...listOf(ipam['ipRanges'])].filter(isJsonObject);
  return [ipam['subnet'], ipam['range'], ...listed.flatMap((item) => [item['subnet'], item['range']])].filter(isText);
};

/** The field that persistent addresses are given out of: a comma list. */
const subnetsField = (config: JsonObject, plugins: readonly JsonObject[]): readonly string[] =>
  [...new Set([config, ...plugins].map((each) => each['subnets']).filter(isText))].flatMap((text) =>
    text.split(',').map((item) => item.trim()),
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
