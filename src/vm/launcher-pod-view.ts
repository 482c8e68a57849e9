// From a launcher pod, in which a machine runs, as the API sends it to what the machine's networks need of it.
import { hasObject, listIn, objectIn, textIn } from '../model/json-fields.ts';
import { type PodKey, podKey } from '../model/keys.ts';
import { NETWORKS_ANNOTATION } from '../model/network-selection.ts';
import { NETWORK_STATUS_ANNOTATION, type ParsedStatus, parseNetworkStatus } from '../model/network-status.ts';
import { INTERFACES_ANNOTATION } from '../model/pod.ts';
import { annotationOf, controllerOf, labelOf, type ObjectHeader, parseHeader } from './object-header.ts';
import { type VmKey, vmKey } from './vm-key.ts';

export const LAUNCHER_SELECTOR = 'kubevirt.io=virt-launcher';
export const NETWORK_INFO_ANNOTATION = 'kubevirt.io/network-info';
export const PCI_ADDRESS_ANNOTATION = 'kubevirt.io/network-to-pci-address';

export interface LauncherPod extends ObjectHeader {
  readonly key: PodKey;
  readonly machine: { readonly key: VmKey; readonly uid: string };
  readonly createdAt: string;
  readonly nodeName: string | undefined;
  /** Uid of the migration that made it as its target. */
  readonly migrationUid: string | undefined;
  /** The machine's process runs in it, and whatever is beside that is up. */
  readonly isReady: boolean;
  readonly hasEnded: boolean;
  readonly networksText: string | undefined;
  readonly networkStatus: ParsedStatus;
  /** What the node agent says of each interface. */
  readonly interfacesText: string | undefined;
  readonly networkInfoText: string | undefined;
  readonly pciAddressText: string | undefined;
}

/** Undefined for a pod that no VirtualMachineInstance owns. */
export const viewLauncherPod = (object: unknown): LauncherPod | undefined => {
  const header = parseHeader(object);
  const owner = controllerOf(object);
  if (header === undefined || owner?.kind !== 'VirtualMachineInstance') return undefined;
  const status = objectIn(object, 'status');
  const phase = textIn(status, 'phase') ?? '';
  return {
    ...header,
    key: podKey(header.namespace, header.name),
    machine: { key: vmKey(header.namespace, owner.name), uid: owner.uid },
    createdAt: textIn(objectIn(object, 'metadata'), 'creationTimestamp') ?? '',
    nodeName: textIn(objectIn(object, 'spec'), 'nodeName') || undefined,
    migrationUid: labelOf(object, 'kubevirt.io/migrationJobUID'),
    isReady: !header.isDeleting && phase === 'Running' && areContainersUp(status),
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
    networksText: annotationOf(object, NETWORKS_ANNOTATION),
    networkStatus: parseNetworkStatus(annotationOf(object, NETWORK_STATUS_ANNOTATION)),
    interfacesText: annotationOf(object, INTERFACES_ANNOTATION),
    networkInfoText: annotationOf(object, NETWORK_INFO_ANNOTATION),
    pciAddressText: annotationOf(object, PCI_ADDRESS_ANNOTATION),
  };
};

/**
 * That these run is enough: the machine's own container becomes ready only with the guest, the mesh's proxy only with a Service.
 * The others tell when they are ready.
 */
const NEED_ONLY_RUN: readonly (string | undefined)[] = ['compute', 'istio-proxy'];

const areContainersUp = (status: unknown): boolean =>
  listIn(status, 'containerStatuses').every((container) =>
    NEED_ONLY_RUN.includes(textIn(container, 'name'))
      ? hasObject(objectIn(container, 'state'), 'running')
      : objectIn({ container }, 'container')['ready'] === true,
  );

/** The pod that the machine runs in: the newest of its own on its node, or anywhere while it has none. */
export const findCurrentPod = (
  machine: { readonly uid: string; readonly nodeName: string | undefined },
  pods: readonly LauncherPod[],
): LauncherPod | undefined =>
  pods
    .filter((pod) => pod.machine.uid === machine.uid)
    .filter((pod) => machine.nodeName === undefined || pod.nodeName === machine.nodeName)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.name.localeCompare(b.name))[0];
