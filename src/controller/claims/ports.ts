// What claims and addresses need of the world, as narrow as they use it. src/wiring/wire-claims.ts is where the compiler
// checks that adapters fit.
import type { Claim } from '../../ipam/claim.ts';
import type { ClaimCondition, RefusalReason } from '../../ipam/claim-condition.ts';
import type { ObjectEvent } from '../ports.ts';

/** An address that was chosen for a claim, written down before it is written into the claim. */
export interface Intent {
  /** `namespace/name`, for people who look at it. */
  readonly claim: string;
  readonly uid: string;
  readonly ips: readonly string[];
}

/** What a network's lock says, and the version that the next write of it must be based on. */
export interface LockState {
  /** Undefined while there is no lock. */
  readonly version: string | undefined;
  readonly intents: readonly Intent[];
}

/** One object per network: whoever replaces it first, of several that read the same version, is the only one. */
export interface PoolLocks {
  read(network: string, signal: AbortSignal): Promise<LockState>;
  /** Fails with `stateChanged` when the lock is no longer as `before` says. */
  replace(network: string, before: LockState, intents: readonly Intent[], signal: AbortSignal): Promise<LockState>;
}

export interface AllocatorDeps {
  readonly locks: PoolLocks;
  /** Reads every claim from the API server itself, and tells the book before it resolves. */
  readonly refreshClaims: (signal: AbortSignal) => Promise<void>;
  /** Likewise one claim; undefined when it is gone. */
  readonly refreshClaim: (key: string, signal: AbortSignal) => Promise<Claim | undefined>;
  /** Likewise for pods that may hold addresses, in one namespace or in all. */
  readonly refreshPods: (where: { readonly namespace?: string }, signal: AbortSignal) => Promise<void>;
  /** Writes a claim's status, guarded by what `claim` was read as, and tells the book. */
  readonly writeStatus: (claim: Claim, status: StatusWrite, signal: AbortSignal) => Promise<void>;
  readonly recordEvent: (claim: Claim, event: ObjectEvent) => void;
  readonly onAllocated: (network: string, waitedMs: number) => void;
  readonly onRefused: (network: string, reason: RefusalReason) => void;
}

export interface StatusWrite {
  readonly ips: readonly string[];
  readonly condition: Omit<ClaimCondition, 'lastTransitionTime'>;
}
