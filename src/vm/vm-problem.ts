// The closed list of what can be wrong with a virtual machine's networks, as events and the Ready report tell it.

export type VmReason =
  /** The networks or interfaces of a spec cannot be understood: nothing of that object is changed. */
  | 'InvalidInterfaces'
  /** Two networks of one machine would get the same interface name in its pod. */
  | 'InterfaceNameCollision'
  /** The annotation that asks for the node's own network cannot be understood, or the gate for it is off. */
  | 'InvalidNodeNetworks'
  /** Who writes the pod's networks in the machine's name may not use one of them. */
  | 'NetworkForbidden'
  /** The machine's pod has names that follow the order of its networks: unplugging one would rename the others. */
  | 'OrdinalInterfaceName'
  /** The interface can only come with a restart. */
  | 'NotHotPluggable'
  | 'UnknownBindingPlugin'
  | 'InvalidInterfaceRequest'
  | 'InterfaceRequestRefused'
  /** Something that another program writes, such as network-status, cannot be read. */
  | 'StatusUnreadable'
  /** The interface waits for a live migration, as SR-IOV interfaces do. */
  | 'MigrationRequired'
  /** On its way: nobody has reported a failure. */
  | 'PluggingInterface'
  | 'UnpluggingInterface';

export interface VmProblem {
  readonly reason: VmReason;
  /** Says what is wrong and what to do about it. */
  readonly message: string;
}

export const problem = (reason: VmReason, message: string): VmProblem => ({ reason, message });
