// What decisions about pods need of the world.
import type { Requester } from '../../model/admission.ts';
import type { NetworkName } from '../../model/keys.ts';

export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** What the authorizer had to say, if anything. */
  readonly detail?: string;
}

export interface NetworkAccess {
  /** Whether the user holds the verb `use` on the NetworkAttachmentDefinition. Fails with a KnownError when nobody can tell. */
  mayUse(user: Requester, network: NetworkName, signal: AbortSignal): Promise<AccessVerdict>;
}

/** Who gives out the persistent addresses of a network: `none` when it has none. */
export type AddressSource = 'none' | 'ours' | 'other';

export interface NetworkAddresses {
  /** Asks the API server before it says that there is no such network. */
  findSource(network: NetworkName, signal: AbortSignal): Promise<AddressSource>;
}

export interface AddressClaim {
  /** Uids of all its owners. */
  readonly owners: readonly string[];
  readonly isDeleting: boolean;
  /** Empty until the allocator has given them. */
  readonly ips: readonly string[];
  /** Why the allocator does not give any. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

export interface AddressClaims {
  /**
   * The claim as soon as it is enough, or as it is when the time is up; undefined when there is none. It asks the API server
   * before it says so.
   */
  waitFor(
    key: string,
    isEnough: (claim: AddressClaim) => boolean,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AddressClaim | undefined>;
}

/** A running virtual machine, as far as the networks of its pod need it. */
export interface Machine {
  readonly uid: string;
  /** Of the VirtualMachine behind it. */
  readonly ownerUid: string | undefined;
  /** Those that have an interface of their own in the pod, in the order of the spec. */
  readonly networks: readonly MachineNetwork[];
}

export interface MachineNetwork {
  /** The machine's own name for it. */
  readonly name: string;
  readonly network: NetworkName;
}

export interface Machines {
  /** As the watch knows it: perhaps a moment old. */
  find(namespace: string, name: string): Machine | undefined;
  /** As the API server knows it. */
  fetch(namespace: string, name: string, signal: AbortSignal): Promise<Machine | undefined>;
}
