// What a running machine's spec takes over from its template: interfaces to plug, interfaces to unplug, and leaving out what
// is unplugged for good. Only additions and `absent` pass to a running machine; any other edit waits for its restart.
import { quote } from '../model/json.ts';
import { hashedName, isOrdinalName } from './interface-names.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { findNamed, type NetworkSpec, type VmInterface, type VmNetwork } from './network-spec.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export interface NetworkLists {
  readonly networks: readonly VmNetwork[];
  readonly interfaces: readonly VmInterface[];
}

/** Something that the template asks for and that cannot be had, by interface. */
export interface Refusal {
  readonly interface: string;
  readonly problem: VmProblem;
}

export interface VmiSpecPlan {
  /** Left out when the running machine's spec is right as it is. */
  readonly lists?: NetworkLists | undefined;
  readonly refusals: readonly Refusal[];
}

interface VmiSpecInput {
  readonly template: NetworkSpec;
  readonly spec: NetworkSpec;
  readonly status: readonly InterfaceStatus[];
}

export const planVmiSpec = ({ template, spec, status }: VmiSpecInput): VmiSpecPlan => {
  const isOrdinal = hasOrdinalInterfaces(spec.networks, status);
  const refusals: Refusal[] = [];
  const interfaces = [...spec.interfaces];
  const networks = [...spec.networks];
  for (const wanted of template.interfaces) {
    const index = interfaces.findIndex(({ name }) => name === wanted.name);
    const present = interfaces[index];
    const refuse = (refused: VmProblem) => void refusals.push({ interface: wanted.name, problem: refused });
    if (present === undefined) {
      if (wanted.isAbsent) continue;
      const network = findNamed(template.networks, wanted.name);
      const refused = whyNotPlugged(wanted, network, networks);
      if (refused !== undefined) refuse(refused);
      else if (network !== undefined) {
        interfaces.push(wanted);
        networks.push(network);
      }
    } else if (wanted.state !== present.state && !present.isAbsent) {
      if (wanted.isAbsent && isOrdinal) refuse(ordinalRefusal(wanted.name));
      else interfaces[index] = withState(present, wanted.state);
    }
  }
  const kept = interfaces.filter((iface) => !iface.isAbsent || findNamed(status, iface.name) !== undefined);
  const isSame = kept.length === spec.interfaces.length && kept.every((iface, at) => iface === spec.interfaces[at]);
  return {
    ...(!isSame && { lists: { interfaces: kept, networks: orderNetworks(kept, networks, isOrdinal) } }),
    refusals,
  };
};

/** The template without what is unplugged everywhere; undefined when there is no such thing. */
export const planTemplateCleanup = (
  template: NetworkSpec,
  machine: { readonly interfaces: readonly VmInterface[]; readonly status: readonly InterfaceStatus[] } | undefined,
): NetworkLists | undefined => {
  const isUsed = ({ name }: VmInterface): boolean =>
    machine !== undefined &&
    (findNamed(machine.interfaces, name) !== undefined || findNamed(machine.status, name) !== undefined);
  const gone = template.interfaces.filter((iface) => iface.isAbsent && !isUsed(iface));
  return gone.length === 0 ? undefined : without(template, gone);
};

/** Interfaces go together with their networks. */
export const without = (lists: NetworkLists, gone: readonly { readonly name: string }[]): NetworkLists => ({
  interfaces: lists.interfaces.filter(({ name }) => findNamed(gone, name) === undefined),
  networks: lists.networks.filter(({ name }) => findNamed(gone, name) === undefined),
});

/**
 * The first secondary network whose name in the pod is known decides. With none known yet the machine may be an old one, and
 * unplugging from one of those would rename the rest.
 */
export const hasOrdinalInterfaces = (networks: readonly VmNetwork[], status: readonly InterfaceStatus[]): boolean => {
  const secondaries = networks.filter(({ isSecondary }) => isSecondary);
  if (secondaries.length === 0) return false;
  const name = secondaries.map((network) => findNamed(status, network.name)?.podInterfaceName).find((text) => text);
  return name === undefined || isOrdinalName(name);
};

export const withState = (iface: VmInterface, state: string): VmInterface => {
  const { state: _before, ...others } = iface.raw;
  return { ...iface, state, isAbsent: state === 'absent', raw: state === '' ? others : { ...others, state } };
};

const whyNotPlugged = (
  iface: VmInterface,
  network: VmNetwork | undefined,
  present: readonly VmNetwork[],
): VmProblem | undefined => {
  const name = quote(iface.name);
  if (network === undefined) {
    return problem(
      'InvalidInterfaces',
      `interface ${name} has no network of its name; add one to spec.template.spec.networks`,
    );
  }
  if ((iface.binding !== 'bridge' && iface.binding !== 'sriov') || !network.isSecondary) {
    return problem(
      'NotHotPluggable',
      `interface ${name} cannot be plugged into a running machine: only secondary Multus networks with a bridge or sriov binding can; restart the machine`,
    );
  }
  const other = present.find(
    ({ name: taken, isSecondary }) =>
      isSecondary && taken !== network.name && hashedName(taken) === hashedName(network.name),
  );
  if (other === undefined) return undefined;
  return problem(
    'InterfaceNameCollision',
    `network ${name} would be ${hashedName(network.name)} in the pod, and so is ${quote(other.name)}; rename it`,
  );
};

const ordinalRefusal = (name: string): VmProblem =>
  problem(
    'OrdinalInterfaceName',
    `interface ${quote(name)} cannot be unplugged while the machine runs: its pod has ordinal interface names, which would shift; restart or migrate the machine after taking it out`,
  );

/** Ordinal names follow the order of the networks, so that order must not change under a running machine. */
const orderNetworks = (
  interfaces: readonly VmInterface[],
  networks: readonly VmNetwork[],
  isOrdinal: boolean,
): readonly VmNetwork[] => {
  if (isOrdinal) return networks.filter(({ name }) => findNamed(interfaces, name) !== undefined);
  return interfaces.flatMap(({ name }) => findNamed(networks, name) ?? []);
};
