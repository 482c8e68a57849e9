// The annotations of one launcher pod: which networks it asks for, and which devices its networks have.
import { KnownError } from '../../model/errors.ts';
import { quote } from '../../model/json.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import type { StatusEntry } from '../../model/network-status.ts';
import type { InterfaceStatus } from '../../vm/interface-status.ts';
import { type LauncherPod, NETWORK_INFO_ANNOTATION, PCI_ADDRESS_ANNOTATION } from '../../vm/launcher-pod-view.ts';
import { findNodeNetworks } from '../../vm/node-networks.ts';
import { type AnnotationEdit, annotationEdits } from '../../vm/object-patch.ts';
import { planNetworkInfo } from '../../vm/plan-network-info.ts';
import { planNodeNetworks } from '../../vm/plan-node-networks.ts';
import { planLivePodNetworks, planTargetPodNetworks } from '../../vm/plan-pod-networks.ts';
import { problem, type VmProblem } from '../../vm/vm-problem.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';
import type { VmDeps } from './ports.ts';

export interface PodPlace {
  readonly instance: RunningMachine;
  readonly pod: LauncherPod;
  /** `status.interfaces` as it is about to be written. */
  readonly status: readonly InterfaceStatus[];
  /** Set for the pod that the machine migrates to: what the pod that it leaves reports. */
  readonly sourceReported?: readonly StatusEntry[] | undefined;
  /** Networks that the machine asks for in an annotation. */
  readonly machineNetworksText: string | undefined;
}

/** Returns what keeps the annotations from being what they should be. */
export const writePodAnnotations = async (
  { gates, plugins, write }: Pick<VmDeps, 'gates' | 'plugins' | 'write'>,
  place: PodPlace,
  signal: AbortSignal,
): Promise<readonly VmProblem[]> => {
  const { pod } = place;
  const problems: VmProblem[] = [];
  let text = pod.networksText ?? '';
  if (gates.hotplug && !isBeingStarted(place)) {
    const plan = planNetworks(place, plugins());
    if (!plan.ok) problems.push(plan.problem);
    else text = plan.text;
  }
  const node = withNodeNetworks(gates, place, text);
  problems.push(...node.problems);
  const devices = gates.deviceMap && pod.isReady ? deviceChanges(place, plugins()) : [];
  const writeAll = async (networks: string): Promise<void> => {
    const edits = annotationEdits(pod, [...networksChange(pod, networks), ...devices]);
    if (edits.length > 0) await write.pod(pod, edits, signal);
  };
  try {
    await writeAll(node.text);
  } catch (error) {
    const isRefused = error instanceof KnownError && error.kind === 'apiRefused' && node.text !== text;
    if (!isRefused) throw error;
    // Whoever may not use the node's network can still have the others.
    problems.push(problem('NetworkForbidden', `the node's network cannot be plugged: ${error.message}`));
    await writeAll(text);
  }
  return problems;
};

/** An empty text and none at all mean the same: the last unplug leaves the former, a pod that never had any the latter. */
const networksChange = ({ networksText }: LauncherPod, after: string): readonly AnnotationEdit[] =>
  after === (networksText ?? '') ? [] : [{ key: NETWORKS_ANNOTATION, before: networksText, after }];

/** The annotation with the node's own network where the machine asks for it; as it was where that cannot be done. */
const withNodeNetworks = (
  gates: VmDeps['gates'],
  place: PodPlace,
  text: string,
): { readonly text: string; readonly problems: readonly VmProblem[] } => {
  const { instance, pod, machineNetworksText } = place;
  if (gates.nodeNetwork === undefined && !gates.hotplug) return { text, problems: [] };
  const found = findNodeNetworks(instance.spec, machineNetworksText);
  const problems = found.ok ? [] : [found.problem];
  if (gates.nodeNetwork === undefined) {
    const [asked] = found.ok ? found.networks : [];
    if (asked === undefined) return { text, problems: [] };
    const message = `network ${quote(asked.name)} is the node's own, which machines do not get: turn the gate NodeNetwork on`;
    return { text, problems: [problem('NotHotPluggable', message)] };
  }
  const isTimeFor = pod.isReady && !isBeingStarted({ ...place, sourceReported: undefined });
  const planned = planNodeNetworks({
    namespace: instance.namespace,
    definition: gates.nodeNetwork,
    spec: instance.spec,
    wanted: found.ok && isTimeFor ? found.networks : undefined,
    reported: reportedBy(pod),
    present: pod.networksText,
    text,
  });
  if (planned !== undefined) return { text: planned, problems };
  const message = `pod ${pod.name}: ${NETWORKS_ANNOTATION} is not the JSON list that KubeVirt writes; restore it, or restart the machine`;
  return { text, problems: [...problems, problem('StatusUnreadable', message)] };
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
