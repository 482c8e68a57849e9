// One leader among replicas, by a Lease. Its promises:
// - `isLeading` is true in at most one process at a time, as long as clocks run at about the same speed: it ends by itself
//   when the lease was not renewed in time, also in a process that was paused and does not know yet;
// - whether another's lease has run out is judged by our own clock since we last saw it change, never by comparing clocks;
// - stop() gives the lease back, so that the next one need not wait for it to run out;
// - an API server that is down loses the leadership, not the process: it goes on trying.
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../model/json.ts';
import type { ApiClient } from './api-client.ts';
import { ApiError, isNotFound } from './api-error.ts';
import { leases, resourcePath } from './resource.ts';

export interface LeaderElectionOptions {
  readonly client: Pick<ApiClient, 'json'>;
  readonly namespace: string;
  readonly name: string;
  /** Of this very process: unlike that of its predecessor of the same pod name. */
  readonly identity: string;
  /** How long others wait after the last renewal before they take over. */
  readonly leaseMs: number;
  /** How long after the last renewal we still count as leading; less than `leaseMs`, by more than a request may take. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  readonly onStarted: () => void;
  /** Called once when leadership was lost against our will. */
  readonly onLost: (reason: string) => void;
  readonly onError?: (error: unknown) => void;
  /** Must go on while the process is paused. */
  readonly now?: () => number;
  readonly random?: () => number;
  readonly wallClock?: () => Date;
}

const RELEASE_MS = 2000;

/** The part of a Lease that matters, with the version that a write must be based on. */
interface SeenLease {
  readonly holder: string;
  readonly renewTime: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly resourceVersion: string;
}

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #seen: SeenLease | undefined;
  /** When `#seen` last changed, by our clock. */
  #seenAt = 0;
  /** Leading until then; moved on by each renewal, counted from before its request was sent. */
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #hasStarted = false;

  constructor(options: LeaderElectionOptions) {
    if (options.renewDeadlineMs >= options.leaseMs) {
      throw new TypeError(
        `renewDeadlineMs must be less than leaseMs (${options.leaseMs}), got ${options.renewDeadlineMs}`,
      );
    }
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
  }

  get isLeading(): boolean {
    return this.#now() < this.#leadsUntil;
  }

  /** Who leads, as far as we know; empty when nobody does. */
  get holder(): string {
    return this.#seen?.holder ?? '';
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Work that needs the leadership has to be over: others may lead before this returns. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    if (this.isLeading) await this.#release().catch((error: unknown) => this.#options.onError?.(error));
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#tryOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        // Somebody else touched or removed it: look before the next try.
        if (error instanceof ApiError && [404, 409].includes(error.statusCode)) this.#forgetVersion();
        else this.#options.onError?.(error);
      }
      if (this.isLeading && !this.#hasStarted) {
        this.#hasStarted = true;
        this.#options.onStarted();
      }
      if (!this.isLeading && this.#hasStarted) return this.#options.onLost(this.#whyLost());
      const pauseMs = this.#options.retryMs * (0.8 + 0.4 * this.#random());
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #tryOnce(signal: AbortSignal): Promise<void> {
    const { identity } = this.#options;
    // A leader bases its renewal on what it wrote last; a conflict or a doubt makes it look first.
    if (!this.isLeading || !this.#seen?.resourceVersion) await this.#look(signal);
    if (this.#seen === undefined) return await this.#write(signal, 'POST');
    const isTaken = this.#seen.holder !== '' && this.#seen.holder !== identity;
    if (isTaken && this.#now() < this.#seenAt + this.#seen.durationMs) return;
    await this.#write(signal, 'PUT');
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const lease = readLease(await this.#options.client.json({ method: 'GET', path: this.#path(), signal }));
      const isSame = lease.holder === this.#seen?.holder && lease.renewTime === this.#seen.renewTime;
      if (!isSame) this.#seenAt = this.#now();
      this.#seen = lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#seen = undefined;
    }
  }

  async #write(signal: AbortSignal, method: 'POST' | 'PUT'): Promise<void> {
    const { client, namespace, name, identity, leaseMs, renewDeadlineMs, wallClock } = this.#options;
    const sentAt = this.#now();
    const time = (wallClock?.() ?? new Date()).toISOString().replace(/Z$/, '000Z');
    const isRenewal = this.#seen?.holder === identity;
    const body = leaseObject(namespace, name, {
      holder: identity,
      renewTime: time,
      durationMs: leaseMs,
      acquireTime: isRenewal ? (this.#seen?.acquireTime ?? time) : time,
      transitions: (this.#seen?.transitions ?? -1) + (isRenewal ? 0 : 1),
      resourceVersion: this.#seen?.resourceVersion ?? '',
    });
    const path = method === 'POST' ? resourcePath(leases, { namespace }) : this.#path();
    // An answer that comes after our own deadline must not make us lead.
    const limited = AbortSignal.any([signal, AbortSignal.timeout(renewDeadlineMs)]);
    this.#seen = readLease(await client.json({ method, path, body, signal: limited }));
    this.#seenAt = this.#now();
    this.#leadsUntil = sentAt + renewDeadlineMs;
  }

  async #release(): Promise<void> {
    const { client, namespace, name, identity } = this.#options;
    const signal = AbortSignal.timeout(RELEASE_MS);
    // A renewal that stop() interrupted may have been done all the same: the version that we know may be an old one.
    await this.#look(signal);
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    if (this.#seen?.holder !== identity) return;
    const body = leaseObject(namespace, name, { ...this.#seen, holder: '', durationMs: 1000 });
    await client.json({ method: 'PUT', path: this.#path(), body, signal });
  }

  #forgetVersion(): void {
    if (this.#seen !== undefined) this.#seen = { ...this.#seen, resourceVersion: '' };
  }

  #whyLost(): string {
    const { identity, renewDeadlineMs } = this.#options;
    const other = this.holder;
    if (other !== '' && other !== identity) return `the lease is held by ${other}`;
    return `the lease could not be renewed for ${renewDeadlineMs} ms`;
  }

  #path(): string {
    return resourcePath(leases, { namespace: this.#options.namespace, name: this.#options.name });
  }
}

const leaseObject = (namespace: string, name: string, lease: SeenLease) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name, ...(lease.resourceVersion !== '' && { resourceVersion: lease.resourceVersion }) },
  spec: {
    holderIdentity: lease.holder,
    leaseDurationSeconds: Math.max(1, Math.round(lease.durationMs / 1000)),
    acquireTime: lease.acquireTime,
    renewTime: lease.renewTime,
    leaseTransitions: lease.transitions,
  },
});

/** Whatever somebody else wrote there: what cannot be read counts as not held. */
const readLease = (object: unknown): SeenLease => {
  const metadata = isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata'] : {};
  const spec = isJsonObject(object) && isJsonObject(object['spec']) ? object['spec'] : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
  return {
    holder: text(spec['holderIdentity']),
    renewTime: text(spec['renewTime']),
    durationMs: count(spec['leaseDurationSeconds']) * 1000,
    transitions: count(spec['leaseTransitions']),
    acquireTime: text(spec['acquireTime']),
    resourceVersion: text(metadata['resourceVersion']),
  };
};
