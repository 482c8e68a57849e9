// Tells a claim, and its owner, why its network has no addresses to give. A claim that has addresses keeps them, and is not
// told: the workload that uses them has what it needs.
import type { Claim } from '../../ipam/claim.ts';
import { isToldAlready, refusedCondition } from '../../ipam/claim-condition.ts';
import { done, type Outcome } from '../../model/outcome.ts';
import type { Reconcile } from '../ports.ts';
import type { AllocatorDeps } from './ports.ts';

export interface UnservedDeps extends Pick<AllocatorDeps, 'writeStatus' | 'recordEvent' | 'onRefused'> {
  readonly find: (key: string) => Claim | undefined;
  readonly findProblem: (claim: Claim) => string | undefined;
}

export const makeReportUnserved =
  ({ find, findProblem, writeStatus, recordEvent, onRefused }: UnservedDeps): Reconcile =>
  async (key, log, signal): Promise<Outcome> => {
    const claim = find(key);
    if (claim === undefined || claim.isDeleting || claim.ips.length > 0) return done;
    const problem = findProblem(claim);
    if (problem === undefined) return done;
    const condition = refusedCondition('InvalidNetwork', problem);
    if (isToldAlready(claim.conditions, condition)) return done;
    await writeStatus(claim, { ips: [], condition }, signal);
    onRefused(claim.network, 'InvalidNetwork');
    recordEvent(claim, { type: 'Warning', reason: 'InvalidNetwork', message: `IPAMClaim ${key}: ${problem}` });
    log.warn({ claim: key, problem }, 'the network of the claim cannot be served');
    return done;
  };
