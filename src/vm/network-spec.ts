// Networks and interfaces of a virtual machine: `spec.networks` and `spec.domain.devices.interfaces`, which belong together by
// name. Every entry keeps the object that it was read from, so that writing a list back changes only what is meant.
import { isDeeperThan, isJsonObject, type JsonObject, quote } from '../model/json.ts';
import { hasObject, objectIn, textIn } from '../model/json-fields.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export interface VmNetwork {
  readonly name: string;
  /** Set for a network of Multus: `name` or `namespace/name` of its NetworkAttachmentDefinition. */
  readonly definition: string | undefined;
  /** It has an interface besides the pod's own one. */
  readonly isSecondary: boolean;
  /** Its source is `nodeNetwork`: the network of whatever node the machine is on. */
  readonly isNodeNetwork: boolean;
  readonly raw: JsonObject;
}

export type Binding = 'bridge' | 'sriov' | 'plugin' | 'other';

export interface VmInterface {
  readonly name: string;
  readonly binding: Binding;
  /** Name of the binding plugin, for that kind of binding. */
  readonly plugin: string | undefined;
  readonly isAbsent: boolean;
  /** As it was written: empty, `up`, `down` or `absent`. */
  readonly state: string;
  readonly mac: string | undefined;
  readonly raw: JsonObject;
}

export interface NetworkSpec {
  readonly networks: readonly VmNetwork[];
  readonly interfaces: readonly VmInterface[];
  /** The lists as they were read; undefined where there was none. */
  readonly raw: { readonly networks: unknown; readonly interfaces: unknown };
  /** Why the lists cannot be relied on. With any of these, nothing may be derived from them. */
  readonly problems: readonly VmProblem[];
}

export const parseNetworkSpec = (spec: unknown): NetworkSpec => {
  const raw = {
    networks: isJsonObject(spec) ? spec['networks'] : undefined,
    interfaces: objectIn(objectIn(spec, 'domain'), 'devices')['interfaces'],
  };
  const networks = parseList(raw.networks, 'networks', parseNetwork);
  const interfaces = parseList(raw.interfaces, 'domain.devices.interfaces', parseInterface);
  return {
    networks: networks.items,
    interfaces: interfaces.items,
    raw,
    problems: [...networks.problems, ...interfaces.problems],
  };
};

interface ParsedList<T> {
  readonly items: readonly T[];
  readonly problems: readonly VmProblem[];
}

const parseList = <T extends { readonly name: string }>(
  value: unknown,
  field: string,
  parse: (item: JsonObject, name: string) => T,
): ParsedList<T> => {
  if (value === undefined || value === null) return { items: [], problems: [] };
  const invalid = (what: string) => problem('InvalidInterfaces', `spec.${field} ${what}`);
  if (!Array.isArray(value) || isDeeperThan(value)) {
    return { items: [], problems: [invalid(`is no list: ${quote(value)}; write a list, or remove the field`)] };
  }
  const items: T[] = [];
  const problems: VmProblem[] = [];
  for (const [index, item] of value.entries()) {
    const name = textIn(item, 'name');
    if (!isJsonObject(item) || !name) problems.push(invalid(`has no name at [${index}]: ${quote(item)}; give it one`));
    else if (items.some((other) => other.name === name)) {
      problems.push(invalid(`has the name ${quote(name)} twice; give each its own name`));
    } else items.push(parse(item, name));
  }
  return { items, problems };
};

const parseNetwork = (raw: JsonObject, name: string): VmNetwork => {
  const multus = objectIn(raw, 'multus');
  const definition = hasObject(raw, 'multus') ? (textIn(multus, 'networkName') ?? '') : undefined;
  const isNodeNetwork = definition === undefined && hasObject(raw, 'nodeNetwork');
  const isSecondary = isNodeNetwork || (definition !== undefined && multus['default'] !== true);
  return { name, definition, isSecondary, isNodeNetwork, raw };
};

const parseInterface = (raw: JsonObject, name: string): VmInterface => {
  const state = textIn(raw, 'state') ?? '';
  const plugin = textIn(objectIn(raw, 'binding'), 'name');
  return {
    name,
    binding: bindingOf(raw),
    plugin,
    isAbsent: state === 'absent',
    state,
    mac: textIn(raw, 'macAddress') || undefined,
    raw,
  };
};

const bindingOf = (raw: JsonObject): Binding => {
  if (hasObject(raw, 'bridge')) return 'bridge';
  if (hasObject(raw, 'sriov')) return 'sriov';
  return hasObject(raw, 'binding') ? 'plugin' : 'other';
};

/** The network of the pod's own interface: the first that is not secondary. */
export const findPrimary = (networks: readonly VmNetwork[]): VmNetwork | undefined =>
  networks.find((network) => !network.isSecondary);

export const findNamed = <T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined =>
  items.find((item) => item.name === name);
