// From what a workload needs and which claims there are, what to do about its claims: pure, and the same for virtual machines
// and for pods. A claim that is another's is never touched and never taken over.
import type { NetworkName } from '../model/keys.ts';
import { type Claim, NETWORK_ANNOTATION, type OwnerReference, REQUESTED_ANNOTATION } from './claim.ts';

export interface WantedClaim {
  readonly name: string;
  readonly network: string;
  readonly nad: NetworkName;
  readonly interface: string;
  readonly requested: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A workload, as far as its claims are concerned. */
export interface Claimant {
  readonly namespace: string;
  readonly finalizer: string;
  /** Undefined when it is gone. */
  readonly owner: OwnerReference | undefined;
  /** It is on its way out: nothing new is made for it. */
  readonly isEnding: boolean;
  readonly wanted: readonly WantedClaim[];
  /** The workload still has the claim's network somewhere, although it may want no new claim for it. */
  readonly isRetained: (claim: Claim) => boolean;
  /** A living pod has the claim's interface. */
  readonly isInUse: (claim: Claim) => boolean;
  /** Nothing of the workload will use the claim any more. */
  readonly isOver: (claim: Claim) => boolean;
  /** Networks that it names and that cannot be told to want claims or not. */
  readonly problems: readonly NetworkProblem[];
}

export interface NetworkProblem {
  readonly reason: 'NetworkNotFound' | 'InvalidNetwork';
  readonly message: string;
}

export interface ClaimPlan {
  readonly create: readonly WantedClaim[];
  /** Claims that lost the finalizer that protects them. */
  readonly protect: readonly Claim[];
  /** Deletion, and with it the finalizer. */
  readonly remove: readonly Claim[];
  /** The finalizer alone: whoever deleted the claim, or garbage collection, does the rest. */
  readonly release: readonly Claim[];
  readonly notices: readonly ClaimNotice[];
}

export interface ClaimNotice {
  readonly reason: 'ClaimRefused' | 'ClaimDeleted' | 'NetworkChanged';
  readonly claim: string;
  readonly message: string;
}

export const planClaims = (claimant: Claimant, claims: readonly Claim[]): ClaimPlan => {
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  const create: WantedClaim[] = [];
  const protect: Claim[] = [];
  const remove: Claim[] = [];
  const notices: ClaimNotice[] = [];

  for (const wanted of claimant.wanted) {
    const present = byName.get(wanted.name);
    if (present === undefined) {
      if (claimant.owner !== undefined && !claimant.isEnding) create.push(wanted);
      continue;
    }
    if (!isOwned(present, claimant)) {
      // One that is going belongs to a predecessor of the same name: its place is free in a moment.
      if (!present.isDeleting) notices.push(refusalOf(present, claimant));
      continue;
    }
    if (present.network !== wanted.network) {
      if (claimant.isInUse(present)) notices.push(changeOf(present, wanted));
      else remove.push(present);
      continue;
    }
    if (present.isDeleting) {
      if (!claimant.isEnding) notices.push(deletionOf(present));
    } else if (!present.finalizers.includes(claimant.finalizer)) protect.push(present);
  }

  const wantedNames = new Set(claimant.wanted.map(({ name }) => name));
  for (const claim of claims) {
    const isKnown = wantedNames.has(claim.name) || claimant.isRetained(claim);
    if (!isKnown && isOwned(claim, claimant) && !claimant.isInUse(claim)) remove.push(claim);
  }
  const release = claims.filter(
    (claim) =>
      claim.finalizers.includes(claimant.finalizer) &&
      !remove.includes(claim) &&
      !claimant.isInUse(claim) &&
      (claimant.isOver(claim) || isOrphan(claim, claimant)),
  );
  return { create, protect: protect.filter((claim) => !release.includes(claim)), remove, release, notices };
};

const isOwned = ({ owners }: Claim, { owner }: Claimant): boolean =>
  owner !== undefined && owners.length === 1 && owners[0]?.uid === owner.uid;

/** Its owner had this name, but is gone. One that somebody else made has no such owner, and is none of ours. */
const isOrphan = ({ owners }: Claim, { owner }: Claimant): boolean => {
  const [only] = owners;
  return (
    owners.length === 1 &&
    only !== undefined &&
    owner !== undefined &&
    only.kind === owner.kind &&
    only.name === owner.name &&
    only.uid !== owner.uid
  );
};

const refusalOf = (claim: Claim, { owner }: Claimant): ClaimNotice => ({
  reason: 'ClaimRefused',
  claim: claim.name,
  message: `IPAMClaim ${claim.key} ${ownersOf(claim)}, not to this ${owner?.kind ?? 'workload'}, and is not taken over; delete it if nobody needs it, and a new one is made`,
});

const ownersOf = ({ owners }: Claim): string =>
  owners.length === 0
    ? 'belongs to nobody'
    : `belongs to ${owners.map(({ kind, name, uid }) => `${kind} ${name} (${uid})`).join(' and ')}`;

const changeOf = (claim: Claim, wanted: WantedClaim): ClaimNotice => ({
  reason: 'NetworkChanged',
  claim: claim.name,
  message: `IPAMClaim ${claim.key} is of network ${claim.network}, the workload is now on ${wanted.network}; the claim is replaced when its pod has ended`,
});

const deletionOf = (claim: Claim): ClaimNotice => ({
  reason: 'ClaimDeleted',
  claim: claim.name,
  message: `IPAMClaim ${claim.key} was deleted while it is needed; it keeps its addresses, and goes with the workload`,
});

/** The claim as it is to be created. */
export const claimObject = (
  wanted: WantedClaim,
  { finalizer }: Pick<Claimant, 'finalizer'>,
  owner: OwnerReference,
) => ({
  metadata: {
    name: wanted.name,
    labels: wanted.labels,
    annotations: {
      [NETWORK_ANNOTATION]: wanted.nad,
      ...(wanted.requested.length > 0 && { [REQUESTED_ANNOTATION]: wanted.requested.join(',') }),
    },
    finalizers: [finalizer],
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  },
  spec: { network: wanted.network, interface: wanted.interface },
});
