// The node's own network in a launcher pod's networks annotation: one element for each that the machine asks for, beside what
// KubeVirt, or our own hot-plug, has written. The elements of others keep their bytes while nothing of ours changes.
import { goJson, isJsonObject, type JsonObject } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import { hashedName, schemeOf, secondaryNames } from './interface-names.ts';
import { findNamed, type NetworkSpec } from './network-spec.ts';
import { definitionOf } from './networks-annotation.ts';
import type { NodeNetwork } from './node-networks.ts';

export interface NodeNetworksInput {
  readonly namespace: string;
  /** `name` or `namespace/name` of the NetworkAttachmentDefinition that means the node's network. */
  readonly definition: string;
  readonly spec: NetworkSpec;
  /** Undefined: leave those that the pod has, whatever is wanted. */
  readonly wanted: readonly NodeNetwork[] | undefined;
  /** network-status of the pod. */
  readonly reported: readonly StatusEntry[];
  /** The annotation as the pod has it. */
  readonly present: string | undefined;
  /** The annotation as others want it: as it is, or as our own hot-plug is about to write it. */
  readonly text: string;
}

/** Undefined when the annotation is in a form that no launcher pod has: then it is left alone. */
export const planNodeNetworks = (input: NodeNetworksInput): string | undefined => {
  const [base, present] = [listOf(input.text), listOf(input.present ?? '')];
  if (base === undefined || present === undefined) return undefined;
  const isOurs = recogniserOf(input);
  const ours = present.filter(isOurs);
  const wanted = input.wanted?.map((network) => elementOf(input, network)) ?? ours;
  const kept = wanted.map((element) => withOthersFields(element, ours));
  const inPlace = base.flatMap((element) =>
    isOurs(element) ? kept.filter((one) => one['interface'] === element['interface']) : [element],
  );
  const added = kept.filter((element) => !inPlace.some((one) => one['interface'] === element['interface']));
  const elements = [...inPlace, ...added];
  if (goJson(elements) === goJson(base)) return input.text;
  return elements.length === 0 ? '' : goJson(elements);
};

const listOf = (text: string): readonly JsonObject[] | undefined => {
  if (text.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
  } catch {
    return undefined;
  }
};

const namesOf = ({ spec, reported }: NodeNetworksInput) => secondaryNames(spec.networks, schemeOf(reported));

const elementOf = (input: NodeNetworksInput, { name, mac }: NodeNetwork): JsonObject => ({
  ...definitionOf(input.definition, input.namespace),
  ...(mac !== undefined && { mac }),
  // A network of the spec has the name that KubeVirt would give it; one of the annotation is unknown to KubeVirt's order.
  interface: namesOf(input).get(name) ?? hashedName(name),
});

/** What others put into an element of ours, the address claims for instance, stays there. */
const withOthersFields = (element: JsonObject, present: readonly JsonObject[]): JsonObject => {
  const before = present.find((one) => one['interface'] === element['interface']);
  if (before === undefined) return element;
  const { mac: _mac, ...others } = before;
  const merged = { ...others, ...element };
  return canonical(merged) === canonical(before) ? before : merged;
};

const canonical = (element: JsonObject): string => goJson(Object.entries(element).sort());

/**
 * Elements of ours are those on the node's network whose interface is called as KubeVirt calls one, without being one of a Multus
 * network of the spec: that a network was taken out of the annotation does not say what it was called.
 */
const recogniserOf = (input: NodeNetworksInput): ((element: JsonObject) => boolean) => {
  const { name, namespace } = definitionOf(input.definition, input.namespace);
  const names = [...namesOf(input)];
  const isNodeNetwork = (network: string) => findNamed(input.spec.networks, network)?.isNodeNetwork === true;
  const ofNode = new Set(names.filter(([network]) => isNodeNetwork(network)).map(([, iface]) => iface));
  const ofOthers = new Set(names.filter(([network]) => !isNodeNetwork(network)).map(([, iface]) => iface));
  return (element) => {
    const iface = String(element['interface'] ?? '');
    if (element['name'] !== name || (element['namespace'] ?? input.namespace) !== namespace) return false;
    return ofNode.has(iface) || (/^pod[0-9a-f]{11}$/.test(iface) && !ofOthers.has(iface));
  };
};
