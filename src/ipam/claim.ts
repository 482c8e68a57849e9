// An IPAMClaim: the one place that says which addresses a workload has on a network, and what we keep beside it there.
import * as z from 'zod/mini';
import type { JsonObject } from '../model/json.ts';
import { findNetworkName, type NetworkName } from '../model/keys.ts';
import { type Address, addressKey, parseAddressOfCidr } from './address-number.ts';
import { ALLOCATED_CONDITION, type ClaimCondition } from './claim-condition.ts';

/** The virtual machine that a claim is of; other tools look claims up by it. */
export const VM_LABEL = 'kubevirt.io/vm';
/** The pod that a claim is of, where no virtual machine is behind it. */
export const POD_LABEL = 'dynamic-networks.io/pod';
/** `namespace/name` of the NetworkAttachmentDefinition: the name in `spec.network` may be that of several. */
export const NETWORK_ANNOTATION = 'dynamic-networks.io/network';
/** The addresses that the workload asks for, separated by commas. */
export const REQUESTED_ANNOTATION = 'dynamic-networks.io/requested-ips';

export const VM_FINALIZER = 'kubevirt.io/persistent-ipam';
export const POD_FINALIZER = 'dynamic-networks.io/persistent-ips';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface Claim {
  /** `namespace/name` */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
  readonly vm: string | undefined;
  readonly pod: string | undefined;
  readonly nad: NetworkName | undefined;
  readonly requested: readonly string[];
  readonly network: string;
  readonly interface: string;
  readonly ips: readonly string[];
  readonly hasStatus: boolean;
  /** As they were read, those of others included. */
  readonly conditions: readonly JsonObject[];
}

const texts = z.record(z.string(), z.string());

const schema = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: z._default(z.string(), ''),
    deletionTimestamp: z.optional(z.string()),
    finalizers: z._default(z.array(z.string()), []),
    labels: z._default(texts, {}),
    annotations: z._default(texts, {}),
    ownerReferences: z._default(
      z.array(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() })),
      [],
    ),
  }),
  spec: z.object({ network: z._default(z.string(), ''), interface: z._default(z.string(), '') }),
  status: z.optional(
    z.object({
      ips: z.nullish(z.array(z.string())),
      conditions: z.nullish(z.array(z.record(z.string(), z.unknown()))),
    }),
  ),
});

export const viewClaim = (object: unknown): Claim | undefined => {
  const parsed = schema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  const { namespace, name, labels, annotations } = metadata;
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    createdAt: metadata.creationTimestamp,
    isDeleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences,
    vm: labels[VM_LABEL],
    pod: labels[POD_LABEL],
    nad: findNetworkName(annotations[NETWORK_ANNOTATION] ?? ''),
    requested: splitList(annotations[REQUESTED_ANNOTATION] ?? ''),
    network: spec.network,
    interface: spec.interface,
    ips: status?.ips ?? [],
    hasStatus: status !== undefined,
    conditions: status?.conditions ?? [],
  };
};

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Who uses the addresses of a claim: pods with the same mark may have them. */
export const userOf = ({ key, namespace, vm, pod }: Claim): string => {
  if (vm !== undefined) return vmUser(namespace, vm);
  return pod === undefined ? `claim ${key}` : podUser(namespace, pod);
};
export const vmUser = (namespace: string, name: string): string => `VirtualMachine ${namespace}/${name}`;
export const podUser = (namespace: string, name: string): string => `Pod ${namespace}/${name}`;

export const findAllocatedCondition = ({ conditions }: Claim): Partial<ClaimCondition> | undefined =>
  conditions.find(({ type }) => type === ALLOCATED_CONDITION);

/** The addresses that we found to be the claim's own when we last looked, whatever has been written into it since. */
export const attestedAddresses = (claim: Claim): readonly Address[] => {
  const condition = findAllocatedCondition(claim);
  if (condition?.status !== 'True' || typeof condition.message !== 'string') return [];
  const addresses = condition.message.split(', ').map(parseAddressOfCidr);
  return addresses.every((address) => address !== undefined) ? addresses : [];
};

/** What the status says is what we gave: it was not edited since. */
export const isConfirmed = (claim: Claim): boolean => {
  const condition = findAllocatedCondition(claim);
  return condition?.status === 'True' && claim.ips.length > 0 && condition.message === claim.ips.join(', ');
};

export const isSameAddresses = (a: readonly Address[], b: readonly Address[]): boolean =>
  a.map(addressKey).sort().join() === b.map(addressKey).sort().join();
