// Which claims a StatefulSet needs whose pods opt in by a label of their template: one for each pod that it may have and each
// element of the template's networks annotation with the switch on. Like its volumes they outlive its pods, and go with the set.
import { parseNetworks } from '../model/parse-networks.ts';
import { type Claim, type OwnerReference, POD_FINALIZER, POD_LABEL } from './claim.ts';
import { claimName } from './claim-name.ts';
import type { NetworkTable } from './network-table.ts';
import type { Claimant, NetworkProblem, WantedClaim } from './plan-claims.ts';
import type { PodAddresses } from './pod-addresses.ts';

/** On a pod template: the pods keep their addresses on networks that allow it. */
export const OPT_IN_LABEL = 'dynamic-networks.io/persistent-ips';
export const OPT_IN_SELECTOR = `${OPT_IN_LABEL}=true`;

export interface PodSet {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly isDeleting: boolean;
  readonly replicas: number;
  readonly firstOrdinal: number;
  readonly networksText: string | undefined;
}

export interface SetPod {
  readonly name: string;
  readonly addresses: readonly PodAddresses[];
}

/** The pod's interface of the element at this position, as Multus names it where the element does not. */
export const interfaceOfElement = (element: { readonly interface?: string; readonly index: number }): string =>
  element.interface ?? `net${element.index + 1}`;

export interface SetWithPods {
  readonly namespace: string;
  readonly name: string;
  /** Undefined when it is gone, or its template no longer opts in. */
  readonly set: PodSet | undefined;
  /** Those of its pods whose processes may still run. */
  readonly pods: readonly SetPod[];
}

export const claimsOfSet = ({ namespace, name, set, pods }: SetWithPods, networks: NetworkTable): Claimant => {
  const template = readTemplate(set?.networksText, namespace, networks);
  const podNames = namesOfPods(name, set);
  const wanted = podNames.flatMap((pod) =>
    template.elements.map(
      (element): WantedClaim => ({
        ...element,
        name: claimName(pod, element.interface),
        labels: { [POD_LABEL]: pod },
        requested: element.requested.length > 0 ? element.requested : hadBy(pods, pod, element.interface),
      }),
    ),
  );
  const wantedPods = new Set(podNames);
  const owner: OwnerReference | undefined = set && { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: set.uid };
  return {
    namespace,
    finalizer: POD_FINALIZER,
    owner,
    isEnding: set?.isDeleting ?? true,
    wanted,
    // Scaled down, a pod may come back, and its network with it. An annotation that cannot be read takes nothing away.
    isRetained: (claim) => !template.isReadable || template.interfaces.has(claim.interface),
    isInUse: (claim) => pods.some((pod) => pod.name === claim.pod && hasInterface(pod, claim)),
    isOver: (claim) =>
      claim.owners.some((its) => its.kind === 'StatefulSet' && its.name === name) &&
      (set === undefined || set.isDeleting || !wantedPods.has(claim.pod ?? '')),
    problems: template.problems,
  };
};

interface Template {
  readonly isReadable: boolean;
  /** Of every element, whether it gets claims or not. */
  readonly interfaces: ReadonlySet<string>;
  readonly elements: readonly Pick<WantedClaim, 'network' | 'nad' | 'interface' | 'requested'>[];
  readonly problems: readonly NetworkProblem[];
}

const readTemplate = (networksText: string | undefined, namespace: string, networks: NetworkTable): Template => {
  const parsed = parseNetworks(networksText, namespace);
  if (!parsed.ok) {
    const message = `the template's networks annotation: ${parsed.problems.map((problem) => problem.message).join('; ')}`;
    return {
      isReadable: false,
      interfaces: new Set(),
      elements: [],
      problems: [{ reason: 'InvalidNetwork', message }],
    };
  }
  const problems: NetworkProblem[] = [];
  const elements = parsed.selections.flatMap((selection) => {
    const { network: nad, attributes } = selection;
    const reading = networks.findReading(nad);
    if (reading === undefined) {
      problems.push({
        reason: 'NetworkNotFound',
        message: `NetworkAttachmentDefinition ${nad} does not exist; create it`,
      });
      return [];
    }
    if (reading.state === 'unreadable') problems.push({ reason: 'InvalidNetwork', message: reading.problem });
    if (reading.state === 'unreadable' || reading.state === 'off') return [];
    const network = reading.state === 'on' ? reading.network.name : reading.name;
    return [{ network, nad, interface: interfaceOfElement(selection), requested: attributes.ips ?? [] }];
  });
  return { isReadable: true, interfaces: new Set(parsed.selections.map(interfaceOfElement)), elements, problems };
};

const namesOfPods = (name: string, set: PodSet | undefined): readonly string[] =>
  set === undefined ? [] : Array.from({ length: set.replicas }, (_, index) => `${name}-${set.firstOrdinal + index}`);

/** An element without a name may have become any interface of its network. */
const hasInterface = ({ addresses }: SetPod, claim: Claim): boolean =>
  addresses.some(({ interface: iface, nad }) => (iface === undefined ? nad === claim.nad : iface === claim.interface));

const hadBy = (pods: readonly SetPod[], pod: string, iface: string): readonly string[] =>
  pods.find(({ name }) => name === pod)?.addresses.find((had) => had.interface === iface && had.ips.length > 0)?.ips ??
  [];
