// Makes the claims of one workload what they should be. Whatever cannot be undone is decided twice: by what the watches know,
// and then by what the API server says.
import type { Claim } from '../../ipam/claim.ts';
import type { NetworkTable } from '../../ipam/network-table.ts';
import { type Claimant, type ClaimPlan, planClaims } from '../../ipam/plan-claims.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Reconcile } from '../ports.ts';
import { type ApplyDeps, applyClaimPlan } from './apply-claim-plan.ts';

export interface ClaimsDeps<T> extends ApplyDeps {
  readonly networks: () => NetworkTable;
  /** The workload as the watches know it. */
  readonly find: (key: string) => T;
  /** Reads it from the API server. */
  readonly refresh: (key: string, signal: AbortSignal) => Promise<T>;
  readonly claimantOf: (workload: T, networks: NetworkTable) => Claimant;
  /** Claims that say they are the workload's, and those with a name that it wants. */
  readonly claimsOf: (key: string, claimant: Claimant) => readonly Claim[];
}

export const makeReconcileClaims =
  <T>(deps: ClaimsDeps<T>): Reconcile =>
  async (key, log, signal): Promise<Outcome> => {
    const decide = (workload: T): readonly [Claimant, ClaimPlan] => {
      const claimant = deps.claimantOf(workload, deps.networks());
      return [claimant, planClaims(claimant, deps.claimsOf(key, claimant))];
    };
    const [claimant, plan] = decide(deps.find(key));
    if (plan.remove.length + plan.release.length === 0) return await applyClaimPlan(deps, claimant, plan, log, signal);
    const [sure, surePlan] = decide(await deps.refresh(key, signal));
    return await applyClaimPlan(deps, sure, surePlan, log, signal);
  };
