// Gives addresses of one network to the claims that need them. No address reaches two claims, whatever crashes and however
// many of us believe to lead:
// 1. what was chosen is written into the network's lock before it is written into any claim, and the lock can be replaced only
//    by who knows its last version, so nobody chooses without knowing what all others have chosen;
// 2. who finds the lock replaced by somebody else reads it, then all claims, then all pods, and only then chooses again;
// 3. after the claims were written the lock is read again: had it been lost, everything is compared anew.
// A choice that its maker could not write is completed by the next one, or given up when the claim is gone. It is replaced by
// another choice only after the claim was written since: its maker, who may be slow rather than gone, cannot write it then.
import { formatAddress, parseAddressOfCidr } from '../../ipam/address-number.ts';
import type { Claim } from '../../ipam/claim.ts';
import { allocatedCondition, isToldAlready, refusedCondition } from '../../ipam/claim-condition.ts';
import { type Decision, decideClaim } from '../../ipam/decide-claim.ts';
import { holdingOf } from '../../ipam/holding.ts';
import { KnownError } from '../../model/errors.ts';
import { done, type Outcome, retry } from '../../model/outcome.ts';
import type { Log } from '../ports.ts';
import type { NetworkAddresses } from './network-addresses.ts';
import type { AllocatorDeps, Intent } from './ports.ts';

/** So many claims share one write of the lock: it stays far below what an annotation may hold. */
const MAX_BATCH = 100;

interface Step {
  readonly claim: Claim;
  readonly decision: Exclude<Decision, { kind: 'settled' }>;
}

export const makeAllocateNetwork =
  (deps: AllocatorDeps, find: (network: string) => NetworkAddresses | undefined, maxBatch = MAX_BATCH) =>
  async (key: string, log: Log, signal: AbortSignal): Promise<Outcome> => {
    const network = find(key);
    if (network === undefined) return done;
    await settleLeaving(deps, network, signal);
    const failures: string[] = [];
    const changed = [...network.takeChanged()];
    while (changed.length > 0) {
      const steps = decide(network, changed, maxBatch);
      try {
        await intend(deps, network, steps, signal);
      } catch (error) {
        for (const { claim } of steps) abandon(network, claim);
        for (const { uid } of [...steps.map(({ claim }) => claim), ...changed]) network.putBack(uid);
        if (error instanceof KnownError && error.kind === 'stateChanged') return retry(error.message, 0);
        throw error;
      }
      const results = await Promise.allSettled(steps.map((step) => write(deps, network, step, log, signal)));
      results.forEach((result, index) => {
        const claim = steps[index]?.claim;
        if (result.status === 'fulfilled' || claim === undefined) return;
        network.putBack(claim.uid);
        failures.push(result.reason instanceof Error ? result.reason.message : String(result.reason));
        if (!(result.reason instanceof KnownError)) throw result.reason;
      });
      if (steps.some(({ decision }) => decision.kind === 'give')) await verify(deps, network, signal);
    }
    if (failures[0] !== undefined) return retry(failures[0]);
    return network.hasWork ? retry('claims changed meanwhile', 0) : done;
  };

/** Before addresses of claims that are gone are given to others: does a pod that we have not heard of have them? */
const settleLeaving = async (deps: AllocatorDeps, network: NetworkAddresses, signal: AbortSignal): Promise<void> => {
  const { leaving } = network;
  const namespaces = new Set(leaving.map(({ namespace }) => namespace));
  for (const namespace of namespaces) await deps.refreshPods({ namespace }, signal);
  for (const claim of leaving) network.forgetLeaving(claim);
};

/** Takes from `changed` what fits into one write of the lock, and decides about it. Choices are taken in the pool at once. */
const decide = (network: NetworkAddresses, changed: Claim[], maxBatch: number): readonly Step[] => {
  const steps: Step[] = [];
  while (changed.length > 0 && steps.length < maxBatch) {
    const uid = changed.shift()?.uid ?? '';
    const claim = network.findClaim(uid);
    if (claim === undefined) continue;
    // One that is deleted before it got an address never gets one; who chose for it before cannot write it any more.
    const isPastHelp = claim.isDeleting && claim.ips.length === 0;
    const decision = decideClaim(network.pool, claim, network.intendedFor(uid));
    if (isPastHelp || decision.kind === 'settled') {
      network.intend(uid, []);
      network.settle(uid);
      continue;
    }
    if (decision.kind === 'give') network.intend(uid, decision.addresses);
    if (decision.kind === 'refuse') network.wait(uid); // from now on: an address may become free before it was told so
    steps.push({ claim, decision });
  }
  return steps;
};

const abandon = (network: NetworkAddresses, { uid }: Claim): void => {
  const isWritten = network.lock?.intents.some((intent) => intent.uid === uid) ?? false;
  if (!isWritten) network.intend(uid, []);
};

/** Writes the choices into the lock. Throws `stateChanged` when they have to be made again. */
const intend = async (
  deps: AllocatorDeps,
  network: NetworkAddresses,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<void> => {
  const chosen = steps.flatMap(({ claim, decision }): readonly Intent[] =>
    decision.kind === 'give' ? [{ claim: claim.key, uid: claim.uid, ips: decision.ips }] : [],
  );
  const isLockNeeded = steps.some(({ decision }) => decision.kind === 'give' || decision.kind === 'withdraw');
  if (network.lock === undefined && isLockNeeded) {
    await open(deps, network, signal);
    throw new KnownError('stateChanged', `the addresses of network ${network.name} were read anew`);
  }
  if (network.lock === undefined || chosen.length === 0) return;
  try {
    network.lock = await deps.locks.replace(
      network.name,
      network.lock,
      [...unfinished(network, chosen), ...chosen],
      signal,
    );
  } catch (error) {
    network.lock = undefined; // whether it was replaced or not is not known
    throw error;
  }
};

/** Earlier choices that may still be on their way into their claims. */
const unfinished = (network: NetworkAddresses, chosen: readonly Intent[]): readonly Intent[] => {
  const uids = new Set(chosen.map(({ uid }) => uid));
  const isOpen = ({ uid }: Intent) => network.findClaim(uid) !== undefined && network.intendedFor(uid).length > 0;
  return (network.lock?.intents ?? []).filter((intent) => !uids.has(intent.uid) && isOpen(intent));
};

/**
 * The lock first, the claims after it: whoever had replaced the lock before we read it had written what it no longer tells. The pods
 * at last: a claim may have come, got an address and gone while our watches lagged, and a pod that was started from it is all that tells.
 */
const open = async (deps: AllocatorDeps, network: NetworkAddresses, signal: AbortSignal): Promise<void> => {
  const lock = await deps.locks.read(network.name, signal);
  await deps.refreshClaims(signal);
  const { leaving } = network;
  await deps.refreshPods({}, signal);
  for (const claim of leaving) network.forgetLeaving(claim);
  // What we chose and the lock no longer tells of was written, or its claim is gone: nothing of it is left to hold.
  network.replaceIntended(
    new Map(lock.intents.map(({ uid, ips }) => [uid, ips.flatMap((text) => parseAddressOfCidr(text) ?? [])])),
  );
  network.lock = lock;
};

const write = async (
  deps: AllocatorDeps,
  network: NetworkAddresses,
  { claim, decision }: Step,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  const { uid, key } = claim;
  if (decision.kind !== 'give') {
    const { reason, kind } = decision;
    const message = kind === 'withdraw' ? withChoice(decision.message, network) : decision.message;
    const condition = refusedCondition(reason, message);
    if (kind === 'takeBack') await confirmOwner(deps, network, claim, signal);
    const isTold = claim.ips.length === 0 && isToldAlready(claim.conditions, condition);
    if (!isTold) await deps.writeStatus(claim, { ips: [], condition }, signal);
    if (kind === 'withdraw') network.withdraw(uid);
    if (isTold) return;
    deps.onRefused(network.name, reason);
    deps.recordEvent(claim, { type: 'Warning', reason, message: `IPAMClaim ${key}: ${message}` });
    log.warn({ claim: key, reason }, REFUSALS[kind]);
    return;
  }
  await deps.writeStatus(claim, { ips: decision.ips, condition: allocatedCondition(decision.ips) }, signal);
  if (claim.ips.length === 0) deps.onAllocated(network.name, network.waitedMs(uid));
  const given = decision.addresses.map(formatAddress).join(', ');
  if (decision.notice !== undefined) {
    deps.recordEvent(claim, {
      type: 'Warning',
      reason: 'ClaimEdited',
      message: `IPAMClaim ${key}: ${decision.notice}`,
    });
    log.warn({ claim: key, ips: decision.ips, notice: decision.notice }, 'claim repaired');
    return;
  }
  const message = `${given} of network ${network.name} (IPAMClaim ${claim.name})`;
  deps.recordEvent(claim, { type: 'Normal', reason: 'IPsAllocated', message });
  log.info({ claim: key, ips: decision.ips }, 'addresses given');
};

const REFUSALS = {
  refuse: 'no address given',
  takeBack: 'address taken back',
  withdraw: 'choice of an address withdrawn',
} as const;

/** A write that changes nothing would not stop anybody's: the same choice is withdrawn once, and each other in other words. */
const withChoice = (message: string, { lock }: NetworkAddresses): string => `${message} (choice ${lock?.version})`;

/**
 * Nobody loses an address to a claim that is gone already, or has left it: our watch may not have told. The claim that loses it
 * is written only if it is still as it was before the owner was read, so both had the address at one moment.
 */
const confirmOwner = async (
  { refreshClaim }: AllocatorDeps,
  network: NetworkAddresses,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> => {
  for (const address of holdingOf(claim).ips) {
    const owner = network.pool.findOwner(address);
    if (owner === undefined || owner.uid === claim.uid) continue;
    if ((await refreshClaim(owner.key, signal))?.uid === owner.uid) continue;
    throw new KnownError('stateChanged', `IPAMClaim ${owner.key}, which has an address of ${claim.key}, is gone`);
  }
  if (decideClaim(network.pool, claim, network.intendedFor(claim.uid)).kind === 'takeBack') return;
  throw new KnownError('stateChanged', `the addresses of IPAMClaim ${claim.key} are nobody else's any more`);
};

/** Somebody who deleted the lock, or wrote past it, may have chosen the same: compare everything anew. */
const verify = async (deps: AllocatorDeps, network: NetworkAddresses, signal: AbortSignal): Promise<void> => {
  const { version } = await deps.locks.read(network.name, signal);
  if (version === network.lock?.version) return;
  network.lock = undefined;
  await open(deps, network, signal);
};
