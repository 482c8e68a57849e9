// The part of an API server that addresses depend on, with every request at the mercy of the test: it decides when each
// arrives, and whether its answer does. Two controllers, each with a watch that lags behind as long as the test likes.
import { type Claim, viewClaim } from '../../ipam/claim.ts';
import { withCondition } from '../../ipam/claim-condition.ts';
import { KnownError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { networkName } from '../../model/keys.ts';
import { makeAllocateNetwork } from './allocate-network.ts';
import { PoolBook } from './pool-book.ts';
import type { Intent, LockState, StatusWrite } from './ports.ts';

interface StoredClaim {
  readonly uid: string;
  readonly createdAt: string;
  readonly version: number;
  readonly ips: readonly string[];
  readonly conditions: readonly JsonObject[];
  readonly requested: string;
}

export class ClaimsApi {
  readonly claims = new Map<string, StoredClaim>();
  readonly config: string;
  #version = 0;
  #lock: { readonly version: string; readonly intents: readonly Intent[] } | undefined;
  /** Requests on their way, and answers on theirs. */
  readonly pending: (() => void)[] = [];
  readonly watchers = new Set<(name: string, claim: Claim | undefined, version: number) => void>();

  constructor(config: object) {
    this.config = JSON.stringify({ name: 'blue', type: 'macvlan', allowPersistentIPs: true, ...config });
  }

  get version(): number {
    return this.#version;
  }

  create(name: string, requested = ''): void {
    if (this.claims.has(name)) return;
    const version = ++this.#version;
    const createdAt = new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString();
    this.#put(name, { uid: `uid-${version}`, createdAt, version, ips: [], conditions: [], requested });
  }

  remove(name: string): void {
    if (!this.claims.delete(name)) return;
    this.#version += 1;
    for (const tell of this.watchers) tell(name, undefined, this.#version);
  }

  /** As a person with an editor would. */
  edit(name: string, ips: readonly string[]): void {
    const claim = this.claims.get(name);
    if (claim !== undefined) this.#put(name, { ...claim, ips, version: ++this.#version });
  }

  loseLock(): void {
    this.#lock = undefined;
  }

  view(name: string): Claim | undefined {
    const claim = this.claims.get(name);
    if (claim === undefined) return undefined;
    return viewClaim({
      metadata: {
        namespace: 'ns1',
        name,
        uid: claim.uid,
        resourceVersion: String(claim.version),
        creationTimestamp: claim.createdAt,
        annotations: {
          'dynamic-networks.io/network': 'ns1/blue',
          'dynamic-networks.io/requested-ips': claim.requested,
        },
      },
      spec: { network: 'blue', interface: '' },
      status: { ips: claim.ips, conditions: claim.conditions },
    });
  }

  readLock(): LockState {
    return this.#lock ?? { version: undefined, intents: [] };
  }

  replaceLock(before: LockState, intents: readonly Intent[]): LockState {
    if (this.#lock?.version !== before.version) throw new KnownError('stateChanged', 'the lock changed');
    this.#lock = { version: String(++this.#version), intents };
    return this.#lock;
  }

  writeStatus(claim: Claim, { ips, condition }: StatusWrite): Claim | undefined {
    const present = this.claims.get(claim.name);
    if (present === undefined) throw new KnownError('objectGone', 'gone');
    if (String(present.version) !== claim.resourceVersion) throw new KnownError('stateChanged', 'the claim changed');
    const conditions = withCondition(present.conditions, condition, '2026-01-01T00:00:00Z');
    this.#put(claim.name, { ...present, ips, conditions, version: ++this.#version });
    return this.view(claim.name);
  }

  #put(name: string, claim: StoredClaim): void {
    this.claims.set(name, claim);
    const view = this.view(name);
    for (const tell of this.watchers) tell(name, view, claim.version);
  }
}

/** One replica. `crash` leaves requests that were sent to arrive, and nobody to hear the answer. */
export class TestController {
  readonly #api: ClaimsApi;
  readonly book: PoolBook;
  readonly #log = { debug: () => {}, info: () => {}, warn: () => {} };
  /** What the watch has still to tell. */
  readonly #lag: (() => void)[] = [];
  readonly #allocate: ReturnType<typeof makeAllocateNetwork>;
  readonly #watch: (name: string, claim: Claim | undefined, version: number) => void;
  /** How far the watch has come, and what is known of each claim that is there. */
  #heard = 0;
  readonly #known = new Map<string, number>();
  #isDead = false;
  #running: Promise<unknown> | undefined;
  readonly bugs: unknown[] = [];
  readonly events: string[] = [];

  constructor(api: ClaimsApi) {
    this.#api = api;
    this.book = new PoolBook({ onWork: () => {}, onUnserved: () => {}, onNetworks: () => {}, now: () => 0 });
    this.book.setNetwork('ns1/blue', { network: networkName('ns1', 'blue'), config: api.config, createdAt: '' });
    for (const name of api.claims.keys()) this.#accept(api.view(name));
    this.#heard = api.version;
    this.#watch = (name, claim, version) => this.#lag.push(() => this.#hear(name, claim, version));
    api.watchers.add(this.#watch);
    this.#allocate = makeAllocateNetwork(
      {
        locks: {
          read: () => this.#call(() => api.readLock(), asIs),
          replace: (_, before, intents) => this.#call(() => api.replaceLock(before, intents), asIs),
        },
        refreshClaims: () =>
          this.#call(
            () => [...api.claims.keys()].map((name) => api.view(name)),
            (views) => {
              for (const view of views) this.#accept(view);
            },
          ),
        refreshPods: () => this.#call(nothing, nothing),
        writeStatus: (claim, status) =>
          this.#call(
            () => api.writeStatus(claim, status),
            (view) => this.#accept(view),
          ),
        recordEvent: (_, { reason }) => this.events.push(reason),
        onAllocated: () => {},
        onRefused: () => {},
      },
      (name) => this.book.find(name),
    );
  }

  /** As the reflector: neither does older news replace newer, nor does what was deleted come back. */
  #hear(name: string, claim: Claim | undefined, version: number): void {
    this.#heard = version;
    if (claim !== undefined) this.#accept(claim, true);
    else if ((this.#known.get(name) ?? 0) < version) {
      this.#known.delete(name);
      this.book.setClaim(`ns1/${name}`, undefined);
    }
  }

  #accept(claim: Claim | undefined, isWatched = false): void {
    if (claim === undefined) return;
    const version = Number(claim.resourceVersion);
    const known = this.#known.get(claim.name);
    if (known === undefined ? version < this.#heard && !isWatched : version < known) return;
    this.#known.set(claim.name, version);
    this.book.setClaim(claim.key, claim);
  }

  hear(count: number): void {
    for (const tell of this.#lag.splice(0, count)) tell();
  }

  /** One reconcile at a time, as the queue would have it. */
  start(): void {
    if (this.#isDead) return;
    this.#running ??= this.#allocate('blue', this.#log, AbortSignal.timeout(60_000))
      .catch((error: unknown) => {
        if (!(error instanceof KnownError)) this.bugs.push(error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  crash(): void {
    this.#isDead = true;
    this.#api.watchers.delete(this.#watch);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  async #call<T, R = T>(act: () => T, take: (answer: T) => R): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#api.pending.push(() => {
      const answer = attempt(act);
      this.#api.pending.push(() => {
        if (this.#isDead) return;
        if ('error' in answer) reject(answer.error);
        else resolve(take(answer.value));
      });
    });
    return await promise;
  }
}

const asIs = <T>(value: T): T => value;
const nothing = (): void => {};

const attempt = <T>(act: () => T): { readonly value: T } | { readonly error: unknown } => {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
};
