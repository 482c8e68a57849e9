// A virtual machine as its claims need it, out of the three kinds of objects that it consists of.
import { readClaimReferences, readPodAddresses } from '../../ipam/pod-addresses.ts';
import type { Machine, MachineNetwork } from '../../ipam/vm-claims.ts';
import { findNetworkName, type NetworkName, networkName } from '../../model/keys.ts';
import { hashedName } from '../../vm/interface-names.ts';
import type { LauncherPod } from '../../vm/launcher-pod-view.ts';
import { findNamed, type NetworkSpec } from '../../vm/network-spec.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';

export interface MachineParts {
  readonly namespace: string;
  readonly name: string;
  readonly vm: VirtualMachine | undefined;
  readonly vmi: RunningMachine | undefined;
  readonly pods: readonly LauncherPod[];
}

export const machineFacts = ({ namespace, name, vm, vmi, pods }: MachineParts): Machine => ({
  namespace,
  name,
  vm: vm && {
    uid: vm.uid,
    isDeleting: vm.isDeleting,
    networks: networksOf(vm.template, namespace),
    addressesText: vm.addressesText,
  },
  vmi: vmi && {
    uid: vmi.uid,
    isDeleting: vmi.isDeleting,
    networks: networksOf(vmi.spec, namespace),
    addressesText: vmi.addressesText,
    reported: new Set(vmi.status.entries.map((entry) => entry.name)),
  },
  isUnreadable:
    vmi?.status.problem !== undefined || [...(vm?.template.problems ?? []), ...(vmi?.spec.problems ?? [])].length > 0,
  pods: pods
    .filter(({ hasEnded }) => !hasEnded)
    .map((pod) => ({ addresses: readPodAddresses(pod), references: readClaimReferences(pod.networksText) })),
});

/** Networks that an interface is on, but for a pod network that Multus serves, and for the node's, which gives no addresses. */
const networksOf = ({ networks, interfaces }: NetworkSpec, namespace: string): readonly MachineNetwork[] =>
  networks.flatMap(({ name, definition, isSecondary, isNodeNetwork }) => {
    const iface = findNamed(interfaces, name);
    if (iface === undefined || isNodeNetwork || (definition !== undefined && !isSecondary)) return [];
    const nad = definition === undefined ? undefined : definitionName(definition, namespace);
    return [{ name, nad, interface: isSecondary ? hashedName(name) : '', isAbsent: iface.isAbsent }];
  });

const definitionName = (definition: string, namespace: string): NetworkName =>
  findNetworkName(definition) ?? networkName(namespace, definition);
