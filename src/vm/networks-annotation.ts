// The text of `k8s.v1.cni.cncf.io/networks` that a machine's spec means, byte for byte as KubeVirt writes it. The node's own network
// is not among it: plan-node-networks.ts adds it.
import { goJson, isJsonObject, type JsonObject } from '../model/json.ts';
import type { BindingPlugins } from './binding-plugins.ts';
import { findNamed, type VmInterface, type VmNetwork } from './network-spec.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export interface NetworksSource {
  readonly namespace: string;
  /** In the order of the elements. */
  readonly networks: readonly VmNetwork[];
  readonly interfaces: readonly VmInterface[];
  /** Interface in the pod by network. */
  readonly names: ReadonlyMap<string, string>;
  readonly plugins: BindingPlugins;
  /** The elements that the pod has now: what others put into one of them stays there. */
  readonly present?: readonly JsonObject[];
}

/** Empty when there is nothing to ask for. */
export type RenderedNetworks =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: VmProblem };

/** The order in which Go writes an element's fields; fields that it does not know come last. */
const FIELD_ORDER: readonly string[] = [
  'name',
  'namespace',
  'ips',
  'mac',
  'infiniband-guid',
  'interface',
  'portMappings',
  'bandwidth',
  'deviceID',
  'cni-args',
  'default-route',
  'ipam-claim-reference',
];

export const renderNetworks = (source: NetworksSource): RenderedNetworks => {
  const elements: JsonObject[] = [];
  for (const network of source.networks) {
    const iface = findNamed(source.interfaces, network.name);
    if (network.isSecondary && !network.isNodeNetwork) elements.push(elementOf(source, network, iface));
    if (iface?.binding !== 'plugin') continue;
    const plugin = source.plugins.get(iface.plugin ?? '');
    if (plugin === undefined) return { ok: false, problem: unknownPlugin(iface) };
    if (plugin.definition !== undefined) {
      elements.push({
        ...definitionOf(plugin.definition, source.namespace),
        'cni-args': { logicNetworkName: network.name },
      });
    }
  }
  return { ok: true, text: elements.length === 0 ? '' : goJson(elements) };
};

const elementOf = (source: NetworksSource, network: VmNetwork, iface: VmInterface | undefined): JsonObject => {
  const own: JsonObject = {
    ...definitionOf(network.definition ?? '', source.namespace),
    ...(iface?.mac && { mac: iface.mac }),
    ...(source.names.has(network.name) && { interface: source.names.get(network.name) }),
  };
  const present = source.present?.find(
    (element) =>
      element['interface'] === own['interface'] &&
      element['name'] === own['name'] &&
      (element['namespace'] ?? source.namespace) === own['namespace'],
  );
  const merged: JsonObject = { ...present, mac: undefined, ...own };
  const fields = new Set([...FIELD_ORDER, ...Object.keys(merged)]);
  return Object.fromEntries(
    [...fields].filter((field) => merged[field] !== undefined).map((field) => [field, merged[field]]),
  );
};

/** `name` and `namespace` of an element; a definition without a namespace is one of the machine's own. */
export const definitionOf = (
  definition: string,
  namespace: string,
): { readonly name: string; readonly namespace: string } => {
  const slash = definition.indexOf('/');
  if (slash < 0) return { name: definition, namespace };
  return { name: definition.slice(slash + 1), namespace: definition.slice(0, slash) };
};

const unknownPlugin = ({ name, plugin }: VmInterface): VmProblem =>
  problem(
    'UnknownBindingPlugin',
    `interface ${JSON.stringify(name)} uses the network binding plugin ${JSON.stringify(plugin ?? '')}, which is not registered; ` +
      'register it in spec.configuration.network.binding of the KubeVirt resource',
  );

/** The elements of an annotation in its JSON form; none of a text in another form. */
export const elementsIn = (text: string | undefined): readonly JsonObject[] => {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  } catch {
    return [];
  }
};
