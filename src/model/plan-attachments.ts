// From what a pod desires and what it has, what to do: pure, deterministic, and the same again when nothing changed.
// Detaching comes first, in reverse of the reported order; then attaching, in annotation order. Foreign attachments (the
// default network among them) are never part of a plan.
import { canonicalAddress, canonicalMac } from './address.ts';
import { quote } from './json.ts';
import type { NetworkName } from './keys.ts';
import { isPluggedFor, matchSelections } from './match-selections.ts';
import type { NetworkSelection } from './network-selection.ts';
import type { CreationAttachment, ManagedAttachment, Observed } from './observe-attachments.ts';
import type { Reason } from './reasons.ts';

export interface PlanPolicy {
  /** A launcher pod of KubeVirt: a `netN` in its status would make KubeVirt switch to ordinal names. */
  readonly isLauncherPod: boolean;
  readonly deviceAttachments: 'keep' | 'manage';
  /** The device-plugin resource that a network takes its devices from, if it is such a network. */
  readonly resourceOf: (network: NetworkName) => string | undefined;
}

export interface Detach {
  readonly target: ManagedAttachment;
  /** All but `unwanted` are followed by an Attach of the same interface. */
  readonly cause: 'unwanted' | 'moved' | 'changed' | 'broken';
}

export interface Attach {
  readonly selection: NetworkSelection;
  readonly interface: string;
  readonly replaces: boolean;
}

export interface Keep {
  readonly target: ManagedAttachment;
  readonly selection?: NetworkSelection;
  /** Why it stays as it is although the annotation says otherwise. */
  readonly notice?: Notice;
}

export interface Notice {
  readonly reason: Reason;
  readonly message: string;
}

export interface Refusal extends Notice {
  readonly selection: NetworkSelection;
  readonly interface: string | undefined;
}

export interface Plan {
  readonly detach: readonly Detach[];
  readonly attach: readonly Attach[];
  readonly keep: readonly Keep[];
  readonly refuse: readonly Refusal[];
}

export const planAttachments = (
  desired: readonly NetworkSelection[],
  observed: readonly Observed[],
  policy: PlanPolicy,
): Plan => {
  const matches = matchSelections(desired, observed, {
    mustStay: (target) => isProtected(target, policy),
    canBePlugged: (selection) => obstacleTo(selection, policy) === undefined,
  });
  const steps = matches.selections.map((match) => planSelection(match, policy));
  const attachedNames = new Set(steps.flatMap((step) => step.attach?.interface ?? []));
  const leftover = matches.unclaimed.map((target) => planUnclaimed(target, attachedNames, policy));
  const detach = [...steps, ...leftover].flatMap((step) => step.detach ?? []);
  const position = new Map(observed.map((target, index) => [target, index]));
  return {
    detach: detach.toSorted((a, b) => (position.get(b.target) ?? 0) - (position.get(a.target) ?? 0)),
    attach: steps.flatMap((step) => step.attach ?? []),
    keep: [...steps, ...leftover].flatMap((step) => step.keep ?? []),
    refuse: steps.flatMap((step) => step.refuse ?? []),
  };
};

export const isEmptyPlan = (plan: Plan): boolean => plan.detach.length === 0 && plan.attach.length === 0;

type Step = { detach?: Detach; attach?: Attach; keep?: Keep; refuse?: Refusal };

type SelectionMatch = ReturnType<typeof matchSelections>['selections'][number];

const planSelection = (match: SelectionMatch, policy: PlanPolicy): Step => {
  const { selection, claimed, name } = match;
  if (claimed?.origin === 'creation')
    return { keep: { target: claimed, selection, ...creationNotice(selection, claimed) } };
  if (claimed !== undefined && isPluggedFor(selection, claimed)) return { keep: { target: claimed, selection } };

  const refusal = refusalOf(match, policy);
  if (refusal !== undefined) {
    const refuse: Refusal = { selection, interface: claimed?.interface ?? selection.interface, ...refusal };
    return claimed === undefined ? { refuse } : { keep: { target: claimed, selection, notice: refusal } };
  }
  if (claimed === undefined) return { attach: { selection, interface: name, replaces: false } };
  return {
    detach: { target: claimed, cause: 'changed' },
    attach: { selection, interface: claimed.interface, replaces: true },
  };
};

const planUnclaimed = (target: ManagedAttachment, attachedNames: ReadonlySet<string>, policy: PlanPolicy): Step => {
  if (!isProtected(target, policy)) {
    return { detach: { target, cause: attachedNames.has(target.interface) ? 'moved' : 'unwanted' } };
  }
  const message = `interface ${target.interface} on ${target.network} holds a device that was given to the pod at its creation; it stays, although the annotation no longer lists it`;
  return { keep: { target, notice: { reason: 'DeviceAttachmentKept', message } } };
};

/**
 * KubeVirt rewrites the annotation without its SR-IOV elements for a while after a VM starts; taking such an interface away
 * then would cut the VM off, and the pod could not get the device back.
 */
const isProtected = (target: ManagedAttachment, policy: PlanPolicy): boolean =>
  target.origin === 'creation' &&
  policy.deviceAttachments === 'keep' &&
  (policy.resourceOf(target.network) !== undefined ||
    target.entries.some((entry) => entry['device-info'] !== undefined));

const refusalOf = ({ selection, conflict }: SelectionMatch, policy: PlanPolicy): Notice | undefined =>
  conflict === undefined ? obstacleTo(selection, policy) : { reason: 'InterfaceNameTaken', message: conflict };

/** Why the element cannot be plugged into a running pod, whatever else is there. */
const obstacleTo = (selection: NetworkSelection, policy: PlanPolicy): Notice | undefined => {
  if (selection.interface === undefined && policy.isLauncherPod) {
    const message = `element ${selection.index + 1} on ${selection.network} names no interface; on a KubeVirt launcher pod it must, because an ordinal name would change how KubeVirt names all of its interfaces`;
    return { reason: 'InterfaceNameRequired', message };
  }
  if (selection.attributes.defaultRoute !== undefined) {
    const message = `element ${selection.index + 1} on ${selection.network} asks for default-route, which cannot be given to a running pod; leave it out, or restart the pod`;
    return { reason: 'NotHotPluggable', message };
  }
  const resource = policy.resourceOf(selection.network);
  if (resource !== undefined && selection.attributes.deviceId === undefined) {
    const message = `network ${selection.network} needs a device of ${resource}, and a running pod cannot be given one; name a deviceID that the pod holds, or restart the pod`;
    return { reason: 'NotHotPluggable', message };
  }
  return undefined;
};

const creationNotice = (selection: NetworkSelection, attached: CreationAttachment): { notice?: Notice } => {
  const differing = differingAttributes(selection, attached);
  if (differing === undefined) return {};
  const message = `interface ${attached.interface} on ${attached.network} was attached at pod creation, and its ${differing}; to apply the change, remove the element, wait until the interface is gone, and add it again`;
  return { notice: { reason: 'AttributesChanged', message } };
};

/** Only what network-status shows can be compared: what the annotation said at pod creation is not recorded anywhere. */
const differingAttributes = ({ attributes }: NetworkSelection, { entries }: CreationAttachment): string | undefined => {
  const mac = entries[0]?.mac;
  if (attributes.mac !== undefined && mac && canonicalMac(attributes.mac) !== canonicalMac(mac)) {
    return `mac is ${quote(mac)}, not the requested ${quote(attributes.mac)}`;
  }
  const held = new Set(entries.flatMap((entry) => entry.ips ?? []).map(canonicalAddress));
  const missing = attributes.ips?.find((ip) => !held.has(canonicalAddress(ip)));
  if (missing !== undefined && held.size > 0) return `addresses do not include the requested ${quote(missing)}`;
  return undefined;
};
