// Which claims a virtual machine needs: one for each network whose NetworkAttachmentDefinition has the switch on. They are
// made as soon as the machine is defined, so that its addresses are there before its pod is.
import { isJsonObject } from '../model/json.ts';
import type { NetworkName } from '../model/keys.ts';
import { type Claim, type OwnerReference, VM_FINALIZER, VM_LABEL } from './claim.ts';
import { claimName } from './claim-name.ts';
import type { NetworkTable } from './network-table.ts';
import type { Claimant, NetworkProblem, WantedClaim } from './plan-claims.ts';
import type { PodAddresses } from './pod-addresses.ts';

/** A network of a machine's spec that has an interface and is not on its way out. */
export interface MachineNetwork {
  /** The logical name, `spec.networks[].name`. */
  readonly name: string;
  /** Undefined for the pod network. */
  readonly nad: NetworkName | undefined;
  /** Of the launcher pod. */
  readonly interface: string;
  readonly isAbsent: boolean;
}

export interface Machine {
  readonly namespace: string;
  readonly name: string;
  readonly vm: MachineObject | undefined;
  readonly vmi: (MachineObject & { readonly reported: ReadonlySet<string> }) | undefined;
  /** Its lists of networks cannot be relied on: nothing is concluded from what is not in them. */
  readonly isUnreadable: boolean;
  /** Launcher pods whose processes may still run. */
  readonly pods: readonly MachinePod[];
}

export interface MachineObject {
  readonly uid: string;
  readonly isDeleting: boolean;
  readonly networks: readonly MachineNetwork[];
  /** `network.kubevirt.io/addresses`: which addresses its interfaces ask for. */
  readonly addressesText: string | undefined;
}

export interface MachinePod {
  readonly addresses: readonly PodAddresses[];
  readonly references: ReadonlySet<string>;
}

export const claimsOfMachine = (machine: Machine, networks: NetworkTable): Claimant => {
  const { vm, vmi, pods } = machine;
  const specified = [...(vmi?.networks ?? []), ...(vm?.networks ?? [])];
  const wanted = new Map<string, WantedClaim>();
  const problems: NetworkProblem[] = [];
  for (const network of specified.filter(({ isAbsent }) => !isAbsent)) {
    const claim = wantedFor(machine, network, networks);
    if (claim === undefined) continue;
    if ('reason' in claim) problems.push(claim);
    else if (!wanted.has(claim.name)) wanted.set(claim.name, claim);
  }
  const names = [...specified.map(({ name }) => name), ...(vmi?.reported ?? [])];
  const retained = new Set(names.map((name) => claimName(machine.name, name)));
  const isGone = vmi === undefined || (vm === undefined && vmi.isDeleting);
  return {
    namespace: machine.namespace,
    finalizer: VM_FINALIZER,
    owner: ownerOf(machine),
    isEnding: vm?.isDeleting ?? vmi?.isDeleting ?? true,
    wanted: [...wanted.values()],
    isRetained: (claim) => machine.isUnreadable || retained.has(claim.name),
    isInUse: (claim) => pods.some((pod) => isUsedBy(claim, pod)),
    isOver: (claim) => claim.vm === machine.name && isGone && (vm === undefined || vm.isDeleting) && pods.length === 0,
    problems,
  };
};

const ownerOf = ({ name, vm, vmi }: Machine): OwnerReference | undefined => {
  const of = (kind: string, { uid }: MachineObject) => ({ apiVersion: 'kubevirt.io/v1', kind, name, uid });
  if (vm !== undefined) return of('VirtualMachine', vm);
  return vmi && of('VirtualMachineInstance', vmi);
};

const wantedFor = (
  machine: Machine,
  network: MachineNetwork,
  networks: NetworkTable,
): WantedClaim | NetworkProblem | undefined => {
  const { namespace, name: machineName } = machine;
  const labels = { [VM_LABEL]: machineName };
  const name = claimName(machineName, network.name);
  if (network.nad === undefined) {
    const primary = networks.findPrimary(namespace);
    return primary && { name, network: primary.name, nad: primary.nad, interface: '', requested: [], labels };
  }
  const reading = networks.findReading(network.nad);
  if (reading === undefined) {
    const message = `network ${network.name}: NetworkAttachmentDefinition ${network.nad} does not exist; create it`;
    return { reason: 'NetworkNotFound', message };
  }
  if (reading.state === 'off') return undefined;
  if (reading.state === 'unreadable')
    return { reason: 'InvalidNetwork', message: `network ${network.name}: ${reading.problem}` };
  return {
    name,
    network: reading.state === 'on' ? reading.network.name : reading.name,
    nad: network.nad,
    interface: network.interface,
    requested: requestedBy(machine, network),
    labels,
  };
};

/** What the machine asks for; else what its running pod has, so that a claim that was lost comes back with its addresses. */
const requestedBy = ({ vm, vmi, pods }: Machine, network: MachineNetwork): readonly string[] => {
  const asked = readAddresses(vmi?.addressesText ?? vm?.addressesText, network.name);
  if (asked.length > 0) return asked;
  const had = pods
    .flatMap(({ addresses }) => addresses)
    .find(({ interface: iface, ips }) => iface === network.interface && ips.length > 0);
  return had?.ips ?? [];
};

const readAddresses = (text: string | undefined, network: string): readonly string[] => {
  if (text === undefined) return [];
  try {
    const byNetwork: unknown = JSON.parse(text);
    const addresses = isJsonObject(byNetwork) ? byNetwork[network] : undefined;
    return Array.isArray(addresses) ? addresses.filter((address) => typeof address === 'string') : [];
  } catch {
    return [text]; // refused as a request, with the text itself in the message
  }
};

/** Pods of old releases have ordinal names, which do not tell which of several interfaces on one network it is. */
const ORDINAL_NAME = /^net\d+$/;

const isUsedBy = (claim: Claim, { addresses, references }: MachinePod): boolean =>
  references.has(claim.name) ||
  addresses.some(({ interface: iface, nad }) => {
    if (iface !== undefined && iface === claim.interface) return true;
    return nad === claim.nad && (claim.interface === '' || iface === undefined || ORDINAL_NAME.test(iface));
  });
