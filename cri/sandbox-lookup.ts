// Finds the sandbox of a pod: newest READY one. Its promises:
// - a pod whose sandbox is known costs no call; the mark that the caller passes tells when it may be another sandbox;
// - one list answers for all pods of the node: a burst of cold pods costs one list, and a status for each whose network
//   namespace nobody else remembers;
// - what is remembered is bounded (LRU), and forgotten on request; of a pod that was forgotten only the runtime's word counts.
import { LRUCache } from 'lru-cache';
import { KnownError } from '../src/model/errors.ts';
import { PodSandboxState } from './generated/runtime.ts';
import type { RuntimeClient } from './runtime-client.ts';
import type { Sandbox } from './sandbox.ts';
import { devicesIn, findNetns } from './sandbox-info.ts';

export interface PodRef {
  readonly uid: string;
  /** Differs whenever the sandbox may be another one. */
  readonly mark: string;
}

type Runtime = Pick<RuntimeClient, 'listReadySandboxes' | 'sandboxStatus' | 'listContainers' | 'containerStatus'>;

export interface SandboxLookupOptions {
  readonly runtime: Runtime;
  /**
   * The network namespace of a sandbox as somebody else remembers it, for as long as the sandbox has it. The runtime tells it only with
   * all else that it knows of a sandbox, which costs the two of them some 2 ms of processor time: in a burst, much of what a plug costs.
   */
  readonly findNetns?: (sandboxId: string) => string | undefined;
  readonly now?: () => number;
  readonly maxPods?: number;
}

/** How long a sandbox that was listed as ready is taken for ready without asking: the time that a burst takes. */
const FRESH_LIST_MS = 5000;

export class SandboxLookup {
  readonly #runtime: Runtime;
  readonly #findNetns: (sandboxId: string) => string | undefined;
  readonly #now: () => number;
  readonly #known: LRUCache<string, Sandbox & { readonly mark: string }>;
  /** Uids of pods that were forgotten, since something was wrong with what was known. */
  readonly #doubted: LRUCache<string, true>;
  /** Sandbox ids by pod uid as of the last list. */
  #listed = new Map<string, string>();
  /** When the last list was asked for. */
  #listedAtMs = Number.NEGATIVE_INFINITY;
  /** The list that is under way, if any. */
  #listing: Promise<Map<string, string>> | undefined;

  constructor({ runtime, findNetns, now, maxPods = 1000 }: SandboxLookupOptions) {
    this.#runtime = runtime;
    this.#findNetns = findNetns ?? (() => undefined);
    this.#now = now ?? (() => performance.now());
    this.#known = new LRUCache({ max: maxPods });
    this.#doubted = new LRUCache({ max: maxPods });
  }

  /** Throws `sandboxNotReady` when the pod has no READY sandbox. */
  async get(pod: PodRef, signal: AbortSignal): Promise<Sandbox> {
    const sandbox = await this.find(pod, signal);
    if (sandbox !== undefined) return sandbox;
    throw new KnownError('sandboxNotReady', `the container runtime has no ready sandbox of pod uid ${pod.uid} yet`);
  }

  async find(pod: PodRef, signal: AbortSignal): Promise<Sandbox | undefined> {
    const known = this.#known.get(pod.uid);
    if (known?.mark === pod.mark) return known;
    const mayBeAnother = known !== undefined;
    const listedId = mayBeAnother ? undefined : this.#listed.get(pod.uid);
    const found =
      (listedId && (await this.#inspect(pod.uid, listedId, signal))) ||
      (await this.#inspectNewest(pod.uid, mayBeAnother, signal));
    if (!found) {
      this.forget(pod.uid);
      return undefined;
    }
    this.#known.set(pod.uid, { ...found, mark: pod.mark });
    return found;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
    this.#listed.delete(uid);
    this.#doubted.set(uid, true);
  }

  /** Whether this very sandbox still runs, so that its network namespace can be entered. */
  async isReady(sandboxId: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#runtime.sandboxStatus(sandboxId, signal);
    return answer?.status?.state === PodSandboxState.SANDBOX_READY;
  }

  /** Ids of the devices that device plugins gave to the pod's containers. */
  async heldDevices(sandbox: Sandbox, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { containers } = await this.#runtime.listContainers(sandbox.id, signal);
    const statuses = await Promise.all(containers.map(({ id }) => this.#runtime.containerStatus(id, signal)));
    return new Set(statuses.flatMap((status) => devicesIn(status?.info ?? {})));
  }

  async #inspectNewest(uid: string, needsFreshList: boolean, signal: AbortSignal): Promise<Sandbox | undefined> {
    // No await before a list is under way: callers of one burst must find it, not start their own.
    const listing = needsFreshList ? undefined : this.#listing;
    const shared = listing && (await listing.catch(() => undefined));
    const id = shared?.get(uid) ?? (await this.#list(signal)).get(uid);
    return id === undefined ? undefined : await this.#inspect(uid, id, signal);
  }

  async #inspect(uid: string, id: string, signal: AbortSignal): Promise<Sandbox | undefined> {
    const remembered = this.#mayRely(uid) ? this.#findNetns(id) : undefined;
    if (remembered !== undefined) return { id, netns: remembered };
    const answer = await this.#runtime.sandboxStatus(id, signal);
    if (answer?.status?.state !== PodSandboxState.SANDBOX_READY) return undefined;
    const netns = findNetns(answer.info);
    if (netns === undefined) {
      throw new KnownError(
        'runtimeUnreachable',
        `the container runtime does not tell the network namespace of sandbox ${id}`,
      );
    }
    this.#doubted.delete(uid);
    return { id, netns };
  }

  /** Whether the pod's listed sandbox can be taken for ready, and for what others remember of it. */
  #mayRely(uid: string): boolean {
    return this.#now() - this.#listedAtMs < FRESH_LIST_MS && !this.#doubted.has(uid);
  }

  #list(signal: AbortSignal): Promise<Map<string, string>> {
    const listing = this.#readList(signal).finally(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    this.#listing = listing;
    return listing;
  }

  async #readList(signal: AbortSignal): Promise<Map<string, string>> {
    const askedAtMs = this.#now();
    const { items } = await this.#runtime.listReadySandboxes(signal);
    this.#listedAtMs = askedAtMs;
    const oldestFirst = items.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    this.#listed = new Map(oldestFirst.map(({ metadata, id }) => [metadata?.uid ?? '', id]));
    return this.#listed;
  }
}
