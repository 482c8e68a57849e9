// Carries out what was planned for a workload's claims. Deleting comes before dropping the finalizer, so that a crash between
// the two leaves a claim that the next plan takes away, and never one that nobody protects.
import type { Claim, OwnerReference } from '../../ipam/claim.ts';
import { type Claimant, type ClaimPlan, claimObject } from '../../ipam/plan-claims.ts';
import { KnownError } from '../../model/errors.ts';
import { done, type Outcome, retry } from '../../model/outcome.ts';
import type { Log, RecordEvent } from '../ports.ts';

export interface ClaimWrites {
  create(namespace: string, claim: ReturnType<typeof claimObject>, signal: AbortSignal): Promise<void>;
  /** Guarded by what the claim was read as. Returns the claim as it is now; undefined when it is gone. */
  remove(claim: Claim, signal: AbortSignal): Promise<Claim | undefined>;
  setFinalizers(claim: Claim, finalizers: readonly string[], signal: AbortSignal): Promise<void>;
}

export interface ApplyDeps {
  readonly write: ClaimWrites;
  readonly recordEvent: RecordEvent;
}

/** How soon a refused claim is looked at again: nothing tells us when its owner gives it up. */
const REFUSED_RETRY_MS = 5_000;

export const applyClaimPlan = async (
  { write, recordEvent }: ApplyDeps,
  claimant: Claimant,
  plan: ClaimPlan,
  log: Log,
  signal: AbortSignal,
): Promise<Outcome> => {
  const { finalizer, namespace, owner } = claimant;
  const without = (claim: Claim) => claim.finalizers.filter((name) => name !== finalizer);
  if (owner !== undefined) {
    tell(recordEvent, claimant, owner, plan);
    for (const wanted of plan.create) {
      await write.create(namespace, claimObject(wanted, claimant, owner), signal);
      log.info({ claim: `${namespace}/${wanted.name}`, network: wanted.network }, 'claim created');
    }
  }
  for (const claim of plan.protect) await write.setFinalizers(claim, [...claim.finalizers, finalizer], signal);
  for (const claim of plan.remove) {
    const going = claim.isDeleting ? claim : await ifThere(() => write.remove(claim, signal));
    if (going?.finalizers.includes(finalizer)) await ifThere(() => write.setFinalizers(going, without(going), signal));
    log.info({ claim: claim.key, ips: claim.ips }, 'claim deleted');
  }
  for (const claim of plan.release) {
    await ifThere(() => write.setFinalizers(claim, without(claim), signal));
    log.info({ claim: claim.key, ips: claim.ips }, 'claim released');
  }
  const refused = plan.notices.find(({ reason }) => reason === 'ClaimRefused');
  return refused === undefined ? done : retry(refused.message, REFUSED_RETRY_MS);
};

/** What is gone need not be removed. */
const ifThere = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof KnownError && error.kind === 'objectGone') return undefined;
    throw error;
  }
};

const tell = (recordEvent: RecordEvent, claimant: Claimant, owner: OwnerReference, { notices }: ClaimPlan): void => {
  for (const { reason, message } of [...notices, ...claimant.problems]) {
    recordEvent({ ...owner, namespace: claimant.namespace }, { type: 'Warning', reason, message });
  }
};
