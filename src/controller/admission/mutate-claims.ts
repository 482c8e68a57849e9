// Puts the addresses that a workload has claimed into its pod: `ipam-claim-reference`, and `ips` where our allocator gave them.
// At the pod's creation, and again at every edit of the annotation: virt-controller writes it anew without them.
//
// No pod starts without the addresses that it should have. A claim that is not filled yet is usually some milliseconds late,
// because whoever makes the pod and whoever makes the claim hear of the machine at the same time; so it is waited for, briefly,
// and then the request is refused "for now": virt-controller and the StatefulSet controller repeat it, and so does every client
// of Kubernetes when told after which time.
import {
  type AdmissionDecision,
  type AdmissionRequest,
  admitted,
  type PatchOperation,
  type Refusal,
} from '../../model/admission.ts';
import { annotationPointer } from '../../model/annotation-pointer.ts';
import { KnownError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { NETWORKS_ANNOTATION, type NetworkSelection } from '../../model/network-selection.ts';
import { withElementFields } from '../../model/networks-text.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import { type PodClaims, readPodClaims } from './claims-of-pod.ts';
import type { AddressClaim, AddressClaims, AddressSource, Machines, NetworkAddresses } from './ports.ts';

export interface MutateClaimsDeps {
  readonly machines: Machines;
  readonly networks: NetworkAddresses;
  readonly claims: AddressClaims;
  /** Well inside the time that the API server waits for us. */
  readonly claimWaitMs: number;
}

const RETRY_AFTER_SECONDS = 1;

export const makeMutateClaims =
  (deps: MutateClaimsDeps) =>
  async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> => {
    const text = request.object.annotations[NETWORKS_ANNOTATION];
    const parsed = parseNetworks(text, request.namespace);
    // What nobody can read is refused or reported elsewhere.
    if (text === undefined || !parsed.ok || parsed.selections.length === 0) return admitted;
    try {
      const claims = await readPodClaims(request, parsed.selections, deps.machines, signal);
      if (claims === undefined) return admitted;
      if ('warning' in claims) return { warnings: [claims.warning] };
      const found = await Promise.all(
        parsed.selections.map((selection) => findFields(deps, request.namespace, claims, selection, signal)),
      );
      return decide(text, parsed.selections, found);
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      return { refusal: forNow(`the addresses of the pod cannot be looked up now: ${error.message}`) };
    }
  };

type Found = { readonly fields?: JsonObject; readonly warning?: string } | { readonly refusal: Refusal };

const findFields = async (
  { networks, claims, claimWaitMs }: MutateClaimsDeps,
  namespace: string,
  pod: PodClaims,
  selection: NetworkSelection,
  signal: AbortSignal,
): Promise<Found> => {
  const name = pod.claimOf(selection);
  if (name === undefined) return {};
  const source = await networks.findSource(selection.network, signal);
  if (source === 'none') return {};
  const subject = `network ${selection.network}`;
  if (typeof name !== 'string') return { refusal: { reason: 'Conflict', message: `${subject}: ${name.problem}` } };

  const isEnough = (candidate: AddressClaim) => progressOf(candidate, source, pod) !== 'waiting';
  const waitMs = pod.isComplete ? claimWaitMs : 0;
  const claim = await claims.waitFor(`${namespace}/${name}`, isEnough, waitMs, signal);
  if (claim === undefined && !pod.isComplete) {
    return { warning: `dynamic-networks: ${subject}: there is no IPAMClaim ${name}, so its addresses are not kept` };
  }
  if (claim === undefined) return { refusal: forNow(`${subject}: IPAMClaim ${name} does not exist yet`) };
  switch (progressOf(claim, source, pod)) {
    case 'foreign':
      return { refusal: { reason: 'Conflict', message: `${subject}: IPAMClaim ${name} belongs to another owner` } };
    case 'refused':
      // Only somebody who frees an address or mends the network can help: no use in coming back every second.
      return {
        refusal: { reason: 'ServiceUnavailable', message: `${subject}: IPAMClaim ${name}: ${reasonOf(claim)}` },
      };
    case 'waiting':
      return {
        refusal: forNow(
          `${subject}: IPAMClaim ${name} ${claim.isDeleting ? 'is being deleted' : 'has no addresses yet'}`,
        ),
      };
    case 'ready': {
      const reference = { 'ipam-claim-reference': name };
      return { fields: source === 'ours' ? { ips: claim.ips, ...reference } : reference };
    }
  }
};

const progressOf = (
  { owners, isDeleting, ips, refusal }: AddressClaim,
  source: AddressSource,
  pod: PodClaims,
): 'foreign' | 'waiting' | 'refused' | 'ready' => {
  const [owner, ...others] = owners;
  if (owner === undefined || others.length > 0 || !pod.owners.has(owner)) return isDeleting ? 'waiting' : 'foreign';
  // A claim that was deleted under its machine keeps its addresses until the machine is gone; one without any never gets some.
  if (isDeleting && ips.length === 0) return 'waiting';
  // Another allocator fills the claim when the pod is there.
  if (source === 'other') return 'ready';
  if (refusal !== undefined) return 'refused';
  return ips.length > 0 ? 'ready' : 'waiting';
};

const decide = (text: string, selections: readonly NetworkSelection[], found: readonly Found[]): AdmissionDecision => {
  const fields = new Map<number, JsonObject>();
  const warnings: string[] = [];
  for (const [index, one] of found.entries()) {
    if ('refusal' in one) return { refusal: one.refusal };
    if (one.warning !== undefined) warnings.push(one.warning);
    const replaced = selections[index] && one.fields && replacedAddresses(selections[index], one.fields);
    if (replaced !== undefined) warnings.push(replaced);
    if (one.fields !== undefined) fields.set(index, one.fields);
  }
  const edited = withElementFields(text, selections, fields);
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(edited !== text && { patch: [setNetworks(edited)] }),
  };
};

/** Who asked for other addresses than the claim has should know that they did not get them. */
const replacedAddresses = ({ network, attributes }: NetworkSelection, { ips }: JsonObject): string | undefined => {
  if (attributes.ips === undefined || !Array.isArray(ips) || attributes.ips.join() === ips.join()) return undefined;
  return `dynamic-networks: network ${network}: ips ${attributes.ips.join(', ')} were replaced by the claim's ${ips.join(', ')}`;
};

const setNetworks = (value: string): PatchOperation => ({
  op: 'replace',
  path: annotationPointer(NETWORKS_ANNOTATION),
  value,
});

const reasonOf = ({ refusal }: AddressClaim): string => `${refusal?.reason}: ${refusal?.message}`;

const forNow = (message: string): Refusal => ({
  reason: 'ServiceUnavailable',
  message: `${message}; try again`,
  retryAfterSeconds: RETRY_AFTER_SECONDS,
});
