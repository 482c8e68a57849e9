// From a VirtualMachineInstance, the running machine, as the API sends it to what its networks need of it.
import { objectIn, textIn } from '../model/json-fields.ts';
import { INTERFACES_ANNOTATION } from '../model/pod.ts';
import { type ParsedInterfaceStatus, parseInterfaceStatus } from './interface-status.ts';
import { type NetworkSpec, parseNetworkSpec } from './network-spec.ts';
import { MACHINE_NETWORKS_ANNOTATION } from './node-networks.ts';
import { annotationOf, controllerOf, type ObjectHeader, type OwnerReference, parseHeader } from './object-header.ts';
import { ADDRESSES_ANNOTATION } from './requested-addresses.ts';
import { type VmKey, vmKey } from './vm-key.ts';

/** Names the migration's target pod and its primary interface, where the schema has no field for that. */
export const MIGRATION_TARGET_ANNOTATION = 'dynamic-networks.io/migration-target';

export interface MigrationState {
  readonly sourcePod: string | undefined;
  readonly targetPod: string | undefined;
  readonly targetPrimaryName: string | undefined;
}

export interface RunningMachine extends ObjectHeader {
  readonly key: VmKey;
  readonly owner: OwnerReference | undefined;
  readonly spec: NetworkSpec;
  readonly phase: string;
  readonly nodeName: string | undefined;
  readonly status: ParsedInterfaceStatus;
  readonly migration: MigrationState | undefined;
  readonly addressesText: string | undefined;
  readonly interfacesText: string | undefined;
  readonly migrationTargetText: string | undefined;
  readonly machineNetworksText: string | undefined;
}

export const viewVmi = (object: unknown): RunningMachine | undefined => {
  const header = parseHeader(object);
  if (header === undefined) return undefined;
  const status = objectIn(object, 'status');
  return {
    ...header,
    key: vmKey(header.namespace, header.name),
    owner: controllerOf(object),
    spec: parseNetworkSpec(objectIn({ object }, 'object')['spec']),
    phase: textIn(status, 'phase') ?? '',
    nodeName: textIn(status, 'nodeName') || undefined,
    status: parseInterfaceStatus(status['interfaces']),
    migration: parseMigration(status),
    addressesText: annotationOf(object, ADDRESSES_ANNOTATION),
    interfacesText: annotationOf(object, INTERFACES_ANNOTATION),
    migrationTargetText: annotationOf(object, MIGRATION_TARGET_ANNOTATION),
    machineNetworksText: annotationOf(object, MACHINE_NETWORKS_ANNOTATION),
  };
};

const parseMigration = (status: unknown): MigrationState | undefined => {
  const state = objectIn(status, 'migrationState');
  if (Object.keys(state).length === 0) return undefined;
  return {
    sourcePod: textIn(state, 'sourcePod') || undefined,
    targetPod: textIn(state, 'targetPod') || undefined,
    targetPrimaryName: textIn(state, 'targetPodPrimaryInterfaceName') || undefined,
  };
};

/** Its pod has ended for good: nothing of it is changed any more. */
export const isFinal = ({ phase }: RunningMachine): boolean => phase === 'Succeeded' || phase === 'Failed';
