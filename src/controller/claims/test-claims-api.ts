// The part of an API server that addresses depend on, with every request at the mercy of the test: it decides when each
// arrives, whether its answer does, and whether either is lost. Controllers have watches that lag as long as the test likes.
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
  readonly isDeleting: boolean;
  readonly ips: readonly string[];
  readonly conditions: readonly JsonObject[];
  readonly requested: string;
}

/** A pod that runs with the addresses that its claim had when it was made. */
interface StoredPod {
  readonly name: string;
  readonly version: number;
  readonly user: string;
  readonly ips: readonly string[];
}

/** A request on its way, or an answer on its way back. */
interface Message {
  /** Undefined when nobody waits for the answer any more. */
  readonly sender: TestController | undefined;
  readonly arrive: () => void;
  /** Its sender stops waiting; a request may arrive all the same, however late. */
  readonly giveUp: () => void;
  /** It never arrives, and its sender stops waiting. */
  readonly lose: () => void;
}

/** So few that an allocation takes several writes of the lock. */
const MAX_BATCH = 2;

/** What a watch tells: `undefined` is a deletion. */
type News =
  | { readonly kind: 'claim'; readonly name: string; readonly version: number; readonly claim: Claim | undefined }
  | { readonly kind: 'pod'; readonly name: string; readonly version: number; readonly pod: StoredPod | undefined };

const NETWORK = networkName('ns1', 'blue');

export class ClaimsApi {
  readonly claims = new Map<string, StoredClaim>();
  readonly pods = new Map<string, StoredPod>();
  readonly config: string;
  #version = 0;
  #lock: { readonly version: string; readonly intents: readonly Intent[] } | undefined;
  readonly messages: Message[] = [];
  readonly watchers = new Set<(news: News) => void>();

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
    const isDeleting = false;
    this.#put(name, { uid: `uid-${version}`, createdAt, version, isDeleting, ips: [], conditions: [], requested });
  }

  /** Deleted, and held by its finalizer. */
  terminate(name: string): void {
    const claim = this.claims.get(name);
    if (claim !== undefined) this.#put(name, { ...claim, isDeleting: true, version: ++this.#version });
  }

  /** Its finalizer is gone: taken off when the workload had ended, or by somebody who should not have. */
  remove(name: string): void {
    if (!this.claims.delete(name)) return;
    this.#tell({ kind: 'claim', name, claim: undefined, version: ++this.#version });
  }

  /** As a person with an editor would. */
  edit(name: string, ips: readonly string[]): void {
    const claim = this.claims.get(name);
    if (claim !== undefined) this.#put(name, { ...claim, ips, version: ++this.#version });
  }

  startPod(name: string): void {
    const claim = this.view(name);
    if (claim === undefined || claim.ips.length === 0 || this.pods.has(name)) return;
    const pod = { name, version: ++this.#version, user: `claim ${claim.key}`, ips: claim.ips };
    this.pods.set(name, pod);
    this.#tell({ kind: 'pod', name, pod, version: pod.version });
  }

  endPod(name: string): void {
    if (!this.pods.delete(name)) return;
    this.#tell({ kind: 'pod', name, pod: undefined, version: ++this.#version });
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
        ...(claim.isDeleting && { deletionTimestamp: claim.createdAt }),
        annotations: {
          'dynamic-networks.io/network': NETWORK,
          'dynamic-networks.io/requested-ips': claim.requested,
        },
      },
      spec: { network: 'blue', interface: '' },
      status: { ips: claim.ips, conditions: claim.conditions },
    });
  }

  views(): readonly Claim[] {
    return [...this.claims.keys()].flatMap((name) => this.view(name) ?? []);
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
    // As a real server: what changes nothing does not become a new version.
    const isChanged = conditions !== present.conditions || ips.join() !== present.ips.join();
    if (isChanged) this.#put(claim.name, { ...present, ips, conditions, version: ++this.#version });
    return this.view(claim.name);
  }

  #put(name: string, claim: StoredClaim): void {
    this.claims.set(name, claim);
    this.#tell({ kind: 'claim', name, claim: this.view(name), version: claim.version });
  }

  #tell(news: News): void {
    for (const tell of this.watchers) tell(news);
  }
}

/** One replica. `crash` leaves requests that were sent to arrive, and nobody to hear the answer. */
export class TestController {
  readonly #api: ClaimsApi;
  readonly book: PoolBook;
  readonly #log = { debug: () => {}, info: () => {}, warn: () => {} };
  /** What the watches have still to tell. */
  readonly #lag: Record<News['kind'], News[]> = { claim: [], pod: [] };
  readonly #allocate: ReturnType<typeof makeAllocateNetwork>;
  readonly #watch = (news: News) => void this.#lag[news.kind].push(news);
  /** How far each watch has come, and what is known of each object that is there. */
  readonly #heard: Record<News['kind'], number>;
  readonly #known = new Map<string, number>();
  #isDead = false;
  #running: Promise<unknown> | undefined;
  readonly bugs: unknown[] = [];

  constructor(api: ClaimsApi) {
    this.#api = api;
    this.book = new PoolBook({ onWork: () => {}, onUnserved: () => {}, onNetworks: () => {}, now: () => 0 });
    this.book.setNetwork(NETWORK, { network: NETWORK, config: api.config, createdAt: '' });
    this.#heard = { claim: 0, pod: 0 };
    this.#acceptAll();
    this.#heard = { claim: api.version, pod: api.version };
    api.watchers.add(this.#watch);
    this.#allocate = makeAllocateNetwork(
      {
        locks: {
          read: () => this.#call(() => api.readLock(), asIs),
          replace: (_, before, intents) => this.#call(() => api.replaceLock(before, intents), asIs),
        },
        refreshClaims: () =>
          this.#call(
            () => api.views(),
            (views) => {
              for (const view of views) this.#acceptClaim(view);
            },
          ),
        refreshClaim: (key) =>
          this.#call(
            () => api.view(key.replace('ns1/', '')),
            (view) => {
              if (view !== undefined) this.#acceptClaim(view);
              return view;
            },
          ),
        refreshPods: () =>
          this.#call(
            () => [...api.pods.values()],
            (pods) => {
              for (const pod of pods) this.#acceptPod(pod);
            },
          ),
        writeStatus: (claim, status) =>
          this.#call(
            () => api.writeStatus(claim, status),
            (view) => {
              if (view !== undefined) this.#acceptClaim(view);
            },
          ),
        recordEvent: () => {},
        onAllocated: () => {},
        onRefused: () => {},
      },
      (name) => this.book.find(name),
      MAX_BATCH,
    );
  }

  #acceptAll(): void {
    for (const claim of this.#api.views()) this.#acceptClaim(claim);
    for (const pod of this.#api.pods.values()) this.#acceptPod(pod);
  }

  #hear(news: News): void {
    this.#heard[news.kind] = news.version;
    if (news.kind === 'claim' && news.claim !== undefined) this.#acceptClaim(news.claim, true);
    else if (news.kind === 'pod' && news.pod !== undefined) this.#acceptPod(news.pod, true);
    else this.#forget(news);
  }

  #forget({ kind, name, version }: News): void {
    if ((this.#known.get(`${kind} ${name}`) ?? 0) >= version) return;
    this.#known.delete(`${kind} ${name}`);
    if (kind === 'claim') this.book.setClaim(`ns1/${name}`, undefined);
    else this.book.setPod(`ns1/${name}`, undefined);
  }

  #acceptClaim(claim: Claim, isWatched = false): void {
    if (!this.#isNews('claim', claim.name, Number(claim.resourceVersion), isWatched)) return;
    this.book.setClaim(claim.key, claim);
  }

  #acceptPod({ name, version, user, ips }: StoredPod, isWatched = false): void {
    if (!this.#isNews('pod', name, version, isWatched)) return;
    this.book.setPod(`ns1/${name}`, { user, addresses: [{ nad: NETWORK, interface: 'blue0', ips }] });
  }

  /** As the reflector: neither does older news replace newer, nor does what was deleted come back. */
  #isNews(kind: News['kind'], name: string, version: number, isWatched: boolean): boolean {
    const key = `${kind} ${name}`;
    const known = this.#known.get(key);
    if (known === undefined ? version < this.#heard[kind] && !isWatched : version < known) return false;
    this.#known.set(key, version);
    return true;
  }

  hear(kind: News['kind'], count: number): void {
    for (const news of this.#lag[kind].splice(0, count)) this.#hear(news);
  }

  hearAll(): void {
    for (const kind of ['claim', 'pod'] as const) this.hear(kind, Number.POSITIVE_INFINITY);
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
    const { messages } = this.#api;
    const fail = () => {
      if (!this.#isDead) reject(new KnownError('apiUnreachable', 'no answer'));
    };
    const arrive = () => {
      const answer = attempt(act);
      const arriveBack = () => {
        if (this.#isDead) return;
        if ('error' in answer) reject(answer.error);
        else resolve(take(answer.value));
      };
      messages.push({ sender: this, arrive: arriveBack, giveUp: fail, lose: fail });
    };
    const giveUp = () => {
      messages.push({ sender: undefined, arrive: () => void attempt(act), giveUp: () => {}, lose: () => {} });
      fail();
    };
    messages.push({ sender: this, arrive, giveUp, lose: fail });
    return await promise;
  }
}

const asIs = <T>(value: T): T => value;

const attempt = <T>(act: () => T): { readonly value: T } | { readonly error: unknown } => {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
};
