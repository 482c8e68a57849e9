// The annotations of one launcher pod: which networks it asks for, and which devices its networks have.
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import type { StatusEntry } from '../../model/network-status.ts';
import type { InterfaceStatus } from '../../vm/interface-status.ts';
import { type LauncherPod, NETWORK_INFO_ANNOTATION, PCI_ADDRESS_ANNOTATION } from '../../vm/launcher-pod-view.ts';
import { type AnnotationEdit, annotationEdits } from '../../vm/object-patch.ts';
import { planNetworkInfo } from '../../vm/plan-network-info.ts';
import { planLivePodNetworks, planTargetPodNetworks } from '../../vm/plan-pod-networks.ts';
import type { VmProblem } from '../../vm/vm-problem.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';
import type { VmDeps } from './ports.ts';

export interface PodPlace {
  readonly instance: RunningMachine;
  readonly pod: LauncherPod;
  /** `status.interfaces` as it is about to be written. */
  readonly status: readonly InterfaceStatus[];
  /** Set for the pod that the machine migrates to: what the pod that it leaves reports. */
  readonly sourceReported?: readonly StatusEntry[];
}

/** Returns what keeps the annotations from being what they should be. */
export const writePodAnnotations = async (
  { gates, plugins, write }: Pick<VmDeps, 'gates' | 'plugins' | 'write'>,
  place: PodPlace,
  signal: AbortSignal,
): Promise<readonly VmProblem[]> => {
  const { pod } = place;
  const problems: VmProblem[] = [];
  const changes: AnnotationEdit[] = [];
  if (gates.hotplug && !isBeingStarted(place)) {
    const plan = planNetworks(place, plugins());
    if (!plan.ok) problems.push(plan.problem);
    // An empty text and none at all mean the same: the last unplug leaves the former, a pod that never had any the latter.
    else if (plan.text !== (pod.networksText ?? '')) {
      changes.push({ key: NETWORKS_ANNOTATION, before: pod.networksText, after: plan.text });
    }
  }
  if (gates.deviceMap && pod.isReady) changes.push(...deviceChanges(place, plugins()));
  const edits = annotationEdits(pod, changes);
  if (edits.length > 0) await write.pod(pod, edits, signal);
  return problems;
};

/** Multus reads the annotation when the pod starts: until it has said what it did, what it read stays. */
const isBeingStarted = ({ pod, sourceReported }: PodPlace): boolean => {
  if (sourceReported !== undefined) return false;
  return !pod.isReady || (pod.networkStatus.state === 'absent' && Boolean(pod.networksText));
};

const planNetworks = ({ instance, pod, status, sourceReported }: PodPlace, plugins: ReturnType<VmDeps['plugins']>) => {
  const { namespace, spec } = instance;
  const { networksText } = pod;
  return sourceReported === undefined
    ? planLivePodNetworks({ namespace, spec, plugins, networksText, status, reported: reportedBy(pod) })
    : planTargetPodNetworks({ namespace, spec, plugins, networksText, sourceReported });
};

const deviceChanges = ({ instance, pod }: PodPlace, plugins: ReturnType<VmDeps['plugins']>): AnnotationEdit[] => {
  const plan = planNetworkInfo({ spec: instance.spec, reported: reportedBy(pod), plugins });
  if (plan === undefined) return [];
  return [
    { key: NETWORK_INFO_ANNOTATION, before: pod.networkInfoText, after: plan.info },
    { key: PCI_ADDRESS_ANNOTATION, before: pod.pciAddressText, after: plan.pciAddresses ?? pod.pciAddressText },
  ];
};

export const reportedBy = (pod: LauncherPod | undefined): readonly StatusEntry[] =>
  pod?.networkStatus.state === 'read' ? pod.networkStatus.entries : [];
