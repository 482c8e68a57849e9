// When a failed operation on one interface may be tried again. Kept per interface, not per pod: the status patch that tells
// of a failure brings the pod back at once, and that must not repeat the failing call; and a healthy neighbour must not wait.
// A changed request counts as a new one and may be tried at once.
import { type BackoffOptions, backoffMs } from '../model/backoff.ts';
import type { ErrorKind } from '../model/errors.ts';
import type { NetworkName, PodKey } from '../model/keys.ts';

export interface Attempt {
  readonly key: PodKey;
  readonly uid: string;
  /** `release` is a DEL for a pod or sandbox that no longer needs it; it is not part of any plan. */
  readonly verb: 'attach' | 'detach' | 'release';
  readonly interface: string;
  readonly network: NetworkName;
  /** What was tried: another signature is another attempt. */
  readonly signature: string;
}

/** What a failed try said: shown for as long as the next one is not due. */
export interface Complaint {
  readonly kind: ErrorKind;
  readonly message: string;
}

interface Failure extends Attempt {
  readonly count: number;
  readonly notBefore: number;
  readonly complaint: Complaint;
}

export class RetrySchedule {
  readonly #backoff: BackoffOptions;
  readonly #now: () => number;
  /** By pod uid, then by verb and interface. Empty inner maps are removed. */
  readonly #failures = new Map<string, Map<string, Failure>>();

  constructor(backoff: BackoffOptions, now: () => number) {
    this.#backoff = backoff;
    this.#now = now;
  }

  /** The complaint of the last try while the next one is not due yet. */
  findWaiting(attempt: Attempt): Complaint | undefined {
    const failure = this.#find(attempt);
    return failure !== undefined && failure.notBefore > this.#now() ? failure.complaint : undefined;
  }

  /** Records a failure; returns how many there were in a row. */
  failed(attempt: Attempt, { kind, message }: Complaint, maxMs = this.#backoff.maxMs): number {
    const count = (this.#find(attempt)?.count ?? 0) + 1;
    const waitMs = backoffMs(count, { ...this.#backoff, maxMs: Math.min(maxMs, this.#backoff.maxMs) });
    this.#put({ ...attempt, count, notBefore: this.#now() + waitMs, complaint: { kind, message } });
    return count;
  }

  /** Not a failure, but not to be done again before then either. */
  postpone(attempt: Attempt, waitMs: number, complaint: Complaint): void {
    this.#put({ ...attempt, count: this.#find(attempt)?.count ?? 0, notBefore: this.#now() + waitMs, complaint });
  }

  succeeded(attempt: Attempt): void {
    const failures = this.#failures.get(attempt.uid);
    failures?.delete(slotOf(attempt));
    if (failures?.size === 0) this.#failures.delete(attempt.uid);
  }

  forgetPod(uid: string): void {
    this.#failures.delete(uid);
  }

  /** Forgets failures of what is no longer planned. */
  retain(uid: string, attempts: readonly Attempt[]): void {
    const slots = new Set(attempts.map(slotOf));
    const failures = this.#failures.get(uid);
    for (const [slot, { verb }] of failures ?? []) if (verb !== 'release' && !slots.has(slot)) failures?.delete(slot);
    if (failures?.size === 0) this.#failures.delete(uid);
  }

  /** Lets everything that waits on this network be tried at once; returns the pods concerned. */
  wakeNetwork(network: NetworkName): PodKey[] {
    const waiting = [...this.#failures.values()].flatMap((failures) => [...failures.values()]);
    const concerned = waiting.filter((failure) => failure.network === network && failure.verb === 'attach');
    for (const failure of concerned) this.#put({ ...failure, notBefore: 0 });
    return [...new Set(concerned.map(({ key }) => key))];
  }

  /** Milliseconds until the pod's next attempt is due; undefined when nothing of it waits. */
  nextDueMs(uid: string): number | undefined {
    const due = [...(this.#failures.get(uid)?.values() ?? [])].map(({ notBefore }) => notBefore);
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - this.#now());
  }

  get size(): number {
    return [...this.#failures.values()].reduce((sum, failures) => sum + failures.size, 0);
  }

  #put(failure: Failure): void {
    const failures = this.#failures.get(failure.uid) ?? new Map<string, Failure>();
    this.#failures.set(failure.uid, failures.set(slotOf(failure), failure));
  }

  #find(attempt: Attempt): Failure | undefined {
    const failure = this.#failures.get(attempt.uid)?.get(slotOf(attempt));
    return failure?.signature === attempt.signature ? failure : undefined;
  }
}

/** Several sandboxes of a pod may each have an interface of one name to be released. */
const slotOf = ({ verb, interface: name, signature }: Attempt): string =>
  verb === 'release' ? `${verb}/${name}/${signature}` : `${verb}/${name}`;
