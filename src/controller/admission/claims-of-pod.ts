// Which claim belongs to which element of a pod's networks annotation. Found by the interface's name, never by its network: two
// networks of a machine may be on one NetworkAttachmentDefinition, and each has a claim of its own.
import { claimName } from '../../ipam/claim-name.ts';
import { interfaceOfElement, OPT_IN_LABEL } from '../../ipam/set-claims.ts';
import type { AdmissionRequest, AdmittedObject, ObjectOwner } from '../../model/admission.ts';
import type { NetworkSelection } from '../../model/network-selection.ts';
import { hashedName } from '../../vm/interface-names.ts';
import type { Machine, MachineNetwork, Machines } from './ports.ts';

export const LAUNCHER_LABEL = 'kubevirt.io';
/** The machine that a launcher pod is of. */
export const MACHINE_ANNOTATION = 'kubevirt.io/domain';

export interface PodClaims {
  /** The claim's name, `undefined` for an element that none can belong to, or why it cannot be told. */
  claimOf(selection: NetworkSelection): string | { readonly problem: string } | undefined;
  /** A claim whose owner is none of these is somebody else's. */
  readonly owners: ReadonlySet<string>;
  /** Every element will have a claim: a missing one is only late. */
  readonly isComplete: boolean;
}

/** Undefined: the pod has no claims, for the reason given if somebody may have expected some. */
export type PodClaimsReading = PodClaims | { readonly warning: string } | undefined;

export const readPodClaims = async (
  { namespace, operation, object }: AdmissionRequest,
  selections: readonly NetworkSelection[],
  machines: Machines,
  signal: AbortSignal,
): Promise<PodClaimsReading> => {
  if (object.labels[LAUNCHER_LABEL] === 'virt-launcher') {
    const machine = await findMachine(namespace, object, selections, machines, signal);
    return machine && claimsOfLauncher(object.annotations[MACHINE_ANNOTATION] ?? '', machine);
  }
  if (object.labels[OPT_IN_LABEL] !== 'true') return undefined;
  const set = object.owners.find(({ isController, kind }) => isController && kind === 'StatefulSet');
  if (set === undefined || object.name === '') {
    return { warning: `dynamic-networks: label ${OPT_IN_LABEL} has no effect: only pods of a StatefulSet have claims` };
  }
  return {
    claimOf: (selection) => claimName(object.name, interfaceOfElement(selection)),
    owners: new Set([set.uid]),
    // An edit may plug what the template does not have, and claims are made for the template.
    isComplete: operation === 'CREATE',
  };
};

/** The running machine that a launcher pod is of. */
export const findInstance = ({ owners }: AdmittedObject): ObjectOwner | undefined =>
  owners.find(({ isController, kind }) => isController && kind === 'VirtualMachineInstance');

/** What the watch knows is enough if it explains every element; else the machine has just been changed. */
const findMachine = async (
  namespace: string,
  pod: AdmittedObject,
  selections: readonly NetworkSelection[],
  machines: Machines,
  signal: AbortSignal,
): Promise<Machine | undefined> => {
  const name = pod.annotations[MACHINE_ANNOTATION];
  const owner = findInstance(pod);
  if (name === undefined || owner === undefined) return undefined;
  const known = machines.find(namespace, name);
  const names = new Set(known?.networks.map((network) => hashedName(network.name)));
  const isExplained = selections.every(({ interface: iface }) => iface === undefined || names.has(iface));
  const machine = known?.uid === owner.uid && isExplained ? known : await machines.fetch(namespace, name, signal);
  return machine?.uid === owner.uid ? machine : undefined;
};

const claimsOfLauncher = (name: string, machine: Machine): PodClaims => ({
  claimOf: (selection) => {
    const found = findNetwork(machine.networks, selection);
    return found === undefined || 'problem' in found ? found : claimName(name, found.name);
  },
  owners: new Set([machine.uid, machine.ownerUid ?? machine.uid]),
  isComplete: true,
});

/**
 * Pods of today have hashed names. Those that old releases started have `net1`, `net2`, …, whose order is not always that of the
 * spec: such a name counts only if the network agrees, or if no other network of the machine is on the same definition.
 */
const findNetwork = (
  networks: readonly MachineNetwork[],
  { interface: iface, network }: NetworkSelection,
): MachineNetwork | { readonly problem: string } | undefined => {
  if (iface === undefined) return undefined; // a binding plugin's own element
  const hashed = networks.find(({ name }) => hashedName(name) === iface);
  if (hashed !== undefined) return hashed;
  const ordinal = /^net(\d+)$/.exec(iface)?.[1];
  if (ordinal === undefined) return undefined;
  const candidates = networks.filter((candidate) => candidate.network === network);
  if (candidates.length <= 1) return candidates[0];
  const counted = networks[Number(ordinal) - 1];
  if (counted?.network === network) return counted;
  return {
    problem: `which of ${candidates.map(({ name }) => name).join(', ')} the interface ${iface} is cannot be told`,
  };
};
