// Which networks of a machine are its node's own network. A network source `nodeNetwork: {}` says so in the spec, where the
// installed schema has that field; KubeVirt's has not, and its API server drops the field silently. So the same entries may stand in
// an annotation: of the VirtualMachine, for as long as it lives, or of the running machine.
import { isJsonObject, type JsonObject, quote } from '../model/json.ts';
import { hasObject, textIn } from '../model/json-fields.ts';
import { parseNetworks } from '../model/parse-networks.ts';
import { hashedName } from './interface-names.ts';
import { findNamed, type NetworkSpec } from './network-spec.ts';
import { problem, type VmProblem } from './vm-problem.ts';

/** `[{"name":"lan","nodeNetwork":{},"macAddress":"…"}]`: entries as `spec.networks` would have them; the address is optional. */
export const MACHINE_NETWORKS_ANNOTATION = 'dynamic-networks.io/networks';

/** More than any machine needs of one and the same network. */
const MAX_NODE_NETWORKS = 8;

export interface NodeNetwork {
  /** Unique among the networks of the machine; the interface in the pod is called after it. */
  readonly name: string;
  readonly mac: string | undefined;
}

export type ParsedNodeNetworks =
  | { readonly ok: true; readonly networks: readonly NodeNetwork[] }
  | { readonly ok: false; readonly problem: VmProblem };

export const parseNodeNetworks = (text: string | undefined): ParsedNodeNetworks => {
  if (text === undefined || text.trim() === '') return { ok: true, networks: [] };
  const invalid = (what: string): ParsedNodeNetworks => ({
    ok: false,
    problem: problem('InvalidNodeNetworks', `${MACHINE_NETWORKS_ANNOTATION} ${what}; nothing was changed`),
  });
  const value = readJson(text);
  if (!Array.isArray(value)) return invalid(`is no JSON list: ${quote(text)}`);
  if (value.length > MAX_NODE_NETWORKS)
    return invalid(`has ${value.length} entries; at most ${MAX_NODE_NETWORKS} may be`);
  const networks: NodeNetwork[] = [];
  for (const [index, entry] of value.entries()) {
    const wrong = whatIsWrong(entry, networks);
    if (wrong !== undefined) return invalid(`[${index}] ${wrong}`);
    networks.push({ name: textIn(entry, 'name') ?? '', mac: textIn(entry, 'macAddress') || undefined });
  }
  return { ok: true, networks };
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const whatIsWrong = (entry: unknown, others: readonly NodeNetwork[]): string | undefined => {
  if (!isJsonObject(entry)) return `is no object: ${quote(entry)}`;
  const { name, nodeNetwork: _source, macAddress, ...unknown } = entry;
  if (typeof name !== 'string' || name === '') return `has no name: ${quote(entry)}`;
  if (findNamed(others, name) !== undefined) return `has the name ${quote(name)}, which another entry has`;
  if (!isNodeNetworkSource(entry)) return `must have the source "nodeNetwork": {}; it is ${quote(entry)}`;
  const [field] = Object.keys(unknown);
  if (field !== undefined) return `has the field ${quote(field)}; known are name, nodeNetwork and macAddress`;
  if (macAddress === undefined || macAddress === '') return undefined;
  // The agent's own parser decides what an address is.
  return parseNetworks(JSON.stringify([{ name: 'x', mac: macAddress }]), 'x').ok
    ? undefined
    : `has the macAddress ${quote(macAddress)}, which is none such as 02:00:00:00:00:01`;
};

/** The source takes no arguments; what a later version may add is not guessed at. */
export const isNodeNetworkSource = (entry: unknown): boolean => {
  if (!isJsonObject(entry) || !hasObject(entry, 'nodeNetwork')) return false;
  const source = entry['nodeNetwork'];
  return isJsonObject(source) && Object.keys(source).length === 0;
};

/** Of the spec and of the annotation together; a problem when they do not fit each other. */
export const findNodeNetworks = (spec: NetworkSpec, text: string | undefined): ParsedNodeNetworks => {
  const parsed = parseNodeNetworks(text);
  if (!parsed.ok) return parsed;
  for (const { name } of parsed.networks) {
    const other = spec.networks.find((network) => network.isSecondary && hashedName(network.name) === hashedName(name));
    if (findNamed(spec.networks, name) === undefined && other === undefined) continue;
    const message = `${MACHINE_NETWORKS_ANNOTATION} has the network ${quote(name)}, and so has the machine's spec; rename it`;
    return { ok: false, problem: problem('InvalidNodeNetworks', `${message}; nothing was changed`) };
  }
  const ofSpec = spec.interfaces
    .filter(({ name, isAbsent }) => !isAbsent && findNamed(spec.networks, name)?.isNodeNetwork)
    .map(({ name, mac }): NodeNetwork => ({ name, mac }));
  return { ok: true, networks: [...ofSpec, ...parsed.networks] };
};

/** Names of all node networks that an object of KubeVirt asks for, sound or not: what whoever writes it must be allowed. */
export const nodeNetworkNamesIn = (spec: unknown): readonly string[] => {
  const networks = isJsonObject(spec) && Array.isArray(spec['networks']) ? spec['networks'] : [];
  return networks
    .filter((entry): entry is JsonObject => hasObject(entry, 'nodeNetwork'))
    .map((entry) => textIn(entry, 'name') ?? '');
};
