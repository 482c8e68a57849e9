// From a VirtualMachine as the API sends it to what its networks need of it.
import { listIn, objectIn } from '../model/json-fields.ts';
import { INTERFACE_REQUESTS_ANNOTATION } from './interface-requests.ts';
import { type NetworkSpec, parseNetworkSpec } from './network-spec.ts';
import { MACHINE_NETWORKS_ANNOTATION } from './node-networks.ts';
import { annotationOf, type ObjectHeader, parseHeader } from './object-header.ts';
import { ADDRESSES_ANNOTATION } from './requested-addresses.ts';
import { type VmKey, vmKey } from './vm-key.ts';

export interface VirtualMachine extends ObjectHeader {
  readonly key: VmKey;
  readonly template: NetworkSpec;
  /** Which addresses the template asks for: `network.kubevirt.io/addresses`. */
  readonly addressesText: string | undefined;
  /** What our annotation asks for, where the schema has no field for it. */
  readonly requestsText: string | undefined;
  /** Networks that the schema has no source for: `dynamic-networks.io/networks`. */
  readonly machineNetworksText: string | undefined;
  /** `status.interfaceRequests`, where the schema has it. */
  readonly statusRequests: readonly unknown[];
}

export const viewVm = (object: unknown): VirtualMachine | undefined => {
  const header = parseHeader(object);
  if (header === undefined) return undefined;
  const spec = objectIn(object, 'spec');
  return {
    ...header,
    key: vmKey(header.namespace, header.name),
    template: parseNetworkSpec(objectIn(spec, 'template')['spec']),
    addressesText: annotationOf(objectIn(spec, 'template'), ADDRESSES_ANNOTATION),
    requestsText: annotationOf(object, INTERFACE_REQUESTS_ANNOTATION),
    machineNetworksText: annotationOf(object, MACHINE_NETWORKS_ANNOTATION),
    statusRequests: listIn(objectIn(object, 'status'), 'interfaceRequests'),
  };
};
