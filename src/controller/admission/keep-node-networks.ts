// Keeps the node's own network in a launcher pod's annotation when somebody else writes that anew. virt-controller renders it
// from the networks that it knows, which these are not: for a moment the element would be away, and the agent would unplug what
// the controller has plugged again right after. Only what the pod has is kept: whether it still should have it, and what is to
// come, is the controller's to decide, whose own writes are not asked about.
import { type AdmissionDecision, type AdmissionRequest, admitted } from '../../model/admission.ts';
import { annotationPointer } from '../../model/annotation-pointer.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { NETWORK_STATUS_ANNOTATION, parseNetworkStatus } from '../../model/network-status.ts';
import type { NetworkSpec } from '../../vm/network-spec.ts';
import { planNodeNetworks } from '../../vm/plan-node-networks.ts';
import { findInstance } from './claims-of-pod.ts';

export interface KeepNodeNetworksDeps {
  /** The NetworkAttachmentDefinition that means the node's network. */
  readonly definition: string;
  /** Of the running machine, as the watch knows it. */
  readonly findSpec: (machine: { readonly key: string; readonly uid: string }) => NetworkSpec | undefined;
}

export const makeKeepNodeNetworks =
  ({ definition, findSpec }: KeepNodeNetworksDeps) =>
  async ({ namespace, object, oldObject }: AdmissionRequest): Promise<AdmissionDecision> => {
    const present = oldObject?.annotations[NETWORKS_ANNOTATION];
    const text = object.annotations[NETWORKS_ANNOTATION] ?? '';
    const machine = findInstance(object);
    const spec = machine && findSpec({ key: `${namespace}/${machine.name}`, uid: machine.uid });
    // Without any annotation there is no place to put one into.
    if (!present || spec === undefined || Object.keys(object.annotations).length === 0) return admitted;
    const status = parseNetworkStatus(oldObject?.annotations[NETWORK_STATUS_ANNOTATION]);
    const reported = status.state === 'read' ? status.entries : [];
    const kept = planNodeNetworks({ namespace, definition, spec, wanted: undefined, reported, present, text });
    if (kept === undefined || kept === text) return admitted;
    // `add` also replaces what is there.
    return { patch: [{ op: 'add', path: annotationPointer(NETWORKS_ANNOTATION), value: kept }] };
  };
