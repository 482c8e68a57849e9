// What the agent would do with a pod, before anybody does it: the agent's own planner on what the API shows.
// One thing only the node's ledger knows: whether an interface came with the pod or was plugged later, which decides what
// becomes of a changed element. So the plan is made for both cases, and where they differ the preview says both.
import type { AttachmentRecord } from '../../model/attachment-record.ts';
import { renderConfig } from '../../model/cni-config.ts';
import { KnownError, reasonOf } from '../../model/errors.ts';
import type { NetworkName } from '../../model/keys.ts';
import { matchSelections } from '../../model/match-selections.ts';
import type { NetworkDefinition } from '../../model/network-definition.ts';
import { requestSignature } from '../../model/network-selection.ts';
import { parseNetworkStatus, type StatusEntry } from '../../model/network-status.ts';
import { observeAttachments } from '../../model/observe-attachments.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import { type Attach, type Plan, planAttachments } from '../../model/plan-attachments.ts';
import { type Pod, stageOf } from '../../model/pod.ts';

export interface PreviewStep {
  readonly action: 'attach' | 'detach' | 'replace' | 'keep' | 'refuse';
  readonly interface: string;
  readonly network: string;
  /** For a replacement that moves to another network: where from. */
  readonly from?: string;
  /** Why it would be refused, would fail, or stays as it is. */
  readonly reason?: string;
  readonly message?: string;
  /** Only so if the interface came with the pod, or only so if it was plugged later. */
  readonly onlyIf?: Origin;
}

export type Origin = 'cameWithPod' | 'hotPlugged';

export type Preview =
  | { readonly state: 'blocked'; readonly reason: string; readonly message: string }
  | { readonly state: 'planned'; readonly steps: readonly PreviewStep[] };

export interface PreviewInput {
  readonly pod: Pod;
  /** The networks annotation to plan for; the pod's own when nothing is edited. */
  readonly networksText: string | undefined;
  readonly definitions: ReadonlyMap<NetworkName, NetworkDefinition>;
}

export const previewPlan = ({ pod, networksText, definitions }: PreviewInput): Preview => {
  const blocked = blockOf(pod, networksText);
  if (blocked !== undefined) return { state: 'blocked', ...blocked };
  const desired = parseNetworks(networksText, pod.namespace);
  if (!desired.ok) {
    const message = `${desired.problems.map((problem) => problem.message).join('; ')}; nothing would be changed`;
    return { state: 'blocked', reason: 'InvalidNetworks', message };
  }
  const status = parseNetworkStatus(pod.statusText);
  const entries = status.state === 'read' ? status.entries : [];
  const policy = {
    isLauncherPod: pod.isLauncherPod,
    deviceAttachments: 'keep' as const,
    resourceOf: (network: NetworkName) => definitions.get(network)?.resourceName,
  };
  const stepsIf = (records: readonly AttachmentRecord[]): readonly PreviewStep[] =>
    stepsOf(planAttachments(desired.selections, observeAttachments(entries, records), policy), definitions);
  return { state: 'planned', steps: mergeCases(stepsIf([]), stepsIf(assumedRecords(pod, entries))) };
};

export const wouldChange = (preview: Preview): boolean =>
  preview.state === 'planned' && preview.steps.some(({ action }) => ['attach', 'detach', 'replace'].includes(action));

const blockOf = (pod: Pod, networksText: string | undefined): { reason: string; message: string } | undefined => {
  if (pod.isHostNetwork && networksText?.trim()) {
    return {
      reason: 'HostNetworkPod',
      message: 'the pod uses the network of its node; nothing can be plugged into it',
    };
  }
  const stage = stageOf(pod);
  if (stage === 'starting') {
    return { reason: 'Starting', message: 'the pod does not run yet; Multus attaches what is listed when it starts' };
  }
  if (stage !== 'running')
    return { reason: 'Ending', message: 'the pod is ending; everything hot-plugged is released' };
  const status = parseNetworkStatus(pod.statusText);
  if (status.state === 'absent') {
    return {
      reason: 'Starting',
      message: 'the pod has no network-status: Multus is still at work, did not see it, or is not installed',
    };
  }
  if (status.state === 'unreadable') return { reason: 'StatusUnreadable', message: status.message };
  return undefined;
};

/** What the ledger would hold if everything had been plugged into the running pod, as its present annotation asks. */
const assumedRecords = (pod: Pod, entries: readonly StatusEntry[]): readonly AttachmentRecord[] => {
  const observed = observeAttachments(entries, []);
  const present = parseNetworks(pod.networksText, pod.namespace);
  const matches = matchSelections(present.ok ? present.selections : [], observed);
  return observed.flatMap((target) => {
    if (target.origin === 'foreign') return [];
    const element = matches.selections.find(({ claimed }) => claimed === target)?.selection;
    return [
      {
        interface: target.interface,
        network: target.network,
        state: 'added' as const,
        containerId: '',
        netns: '',
        config: '',
        attributes: {},
        request: requestSignature(element?.attributes ?? {}),
        entries: target.entries,
      },
    ];
  });
};

const stepsOf = (plan: Plan, definitions: PreviewInput['definitions']): readonly PreviewStep[] => {
  const attached = new Map(plan.attach.map((attach) => [attach.interface, attach]));
  const detached = new Map(plan.detach.map(({ target }) => [target.interface, target]));
  return [
    ...plan.detach.flatMap(({ target }): PreviewStep[] =>
      attached.has(target.interface)
        ? []
        : [{ action: 'detach', interface: target.interface, network: target.network }],
    ),
    ...plan.attach.map((attach): PreviewStep => {
      const before = detached.get(attach.interface);
      const { network } = attach.selection;
      return {
        action: before === undefined ? 'attach' : 'replace',
        interface: attach.interface,
        network,
        ...(before !== undefined && before.network !== network && { from: before.network }),
        ...attachProblem(attach, definitions),
      };
    }),
    ...plan.refuse.map(
      ({ interface: name, selection, reason, message }): PreviewStep => ({
        action: 'refuse',
        interface: name ?? '',
        network: selection.network,
        reason,
        message,
      }),
    ),
    ...plan.keep.map(
      ({ target, notice }): PreviewStep => ({
        action: 'keep',
        interface: target.interface,
        network: target.network,
        ...notice,
      }),
    ),
  ];
};

/** What can be known of an attach before it is tried: whether its network is there and can be asked for this. */
const attachProblem = (
  { selection: { network, attributes } }: Attach,
  definitions: PreviewInput['definitions'],
): { reason?: string; message?: string } => {
  const definition = definitions.get(network);
  if (definition === undefined) {
    const message = `NetworkAttachmentDefinition ${network} does not exist; the interface is plugged when it is created`;
    return { reason: 'NetworkNotFound', message };
  }
  if (definition.config.trim() === '') return {}; // a file on the node
  try {
    renderConfig(network, definition.config, attributes);
    return {};
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return { reason: reasonOf(error.kind, 'attach'), message: error.message };
  }
};

const mergeCases = (withPod: readonly PreviewStep[], hotPlugged: readonly PreviewStep[]): readonly PreviewStep[] => {
  const text = (step: PreviewStep) => JSON.stringify(step);
  const [ifWithPod, ifHotPlugged] = [new Set(withPod.map(text)), new Set(hotPlugged.map(text))];
  const order = ['detach', 'replace', 'attach', 'refuse', 'keep'];
  return [
    ...withPod.map((step): PreviewStep => (ifHotPlugged.has(text(step)) ? step : { ...step, onlyIf: 'cameWithPod' })),
    ...hotPlugged.flatMap((step): PreviewStep[] =>
      ifWithPod.has(text(step)) ? [] : [{ ...step, onlyIf: 'hotPlugged' }],
    ),
  ].toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
};
