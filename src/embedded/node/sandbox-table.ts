// The sandboxes and containers of the node, as the container runtime keeps them.
// Promises: a pod may have several sandboxes; each has an id that is never used again; a sandbox that ended stays, not
// ready, until it is removed; lookups by id, by pod and of a sandbox's containers do not scan.
import { randomBytes } from 'node:crypto';

export interface Sandbox {
  readonly id: string;
  /** The uid under which the runtime knows the pod: for a mirror pod the static pod's, not the API object's. */
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly attempt: number;
  /** Empty for a pod on the host's network. */
  readonly netns: string;
  readonly createdAt: bigint;
  isReady: boolean;
}

export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  state: 'running' | 'exited';
}

export type NewSandbox = Pick<Sandbox, 'podUid' | 'podNamespace' | 'podName' | 'netns'> &
  Partial<Pick<Sandbox, 'attempt' | 'createdAt' | 'isReady'>>;

const newId = (): string => randomBytes(32).toString('hex');

export class SandboxTable {
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #byPod = new Map<string, Set<Sandbox>>();
  readonly #byNetns = new Map<string, Sandbox>();
  readonly #containers = new Map<string, RuntimeContainer>();
  readonly #bySandbox = new Map<string, Set<RuntimeContainer>>();
  /** Creation times are nanoseconds and never equal, so that "newest" is never in doubt. */
  #lastCreatedAt = 0n;

  add(sandbox: NewSandbox): Sandbox {
    const added: Sandbox = {
      id: newId(),
      attempt: this.ofPod(sandbox.podUid).length,
      createdAt: this.#nextCreationTime(),
      isReady: true,
      ...sandbox,
    };
    this.#sandboxes.set(added.id, added);
    this.#byPod.set(added.podUid, (this.#byPod.get(added.podUid) ?? new Set()).add(added));
    if (added.netns !== '') this.#byNetns.set(added.netns, added);
    return added;
  }

  remove(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    this.#sandboxes.delete(id);
    this.#byNetns.delete(sandbox.netns);
    const siblings = this.#byPod.get(sandbox.podUid);
    siblings?.delete(sandbox);
    if (siblings?.size === 0) this.#byPod.delete(sandbox.podUid);
    for (const container of this.containersOf(id)) this.#containers.delete(container.id);
    this.#bySandbox.delete(id);
  }

  find(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id);
  }

  findByNetns(path: string): Sandbox | undefined {
    return this.#byNetns.get(path);
  }

  ofPod(uid: string): Sandbox[] {
    return [...(this.#byPod.get(uid) ?? [])];
  }

  all(): Sandbox[] {
    return [...this.#sandboxes.values()];
  }

  addContainer(sandboxId: string, name: string, env: RuntimeContainer['env'] = []): RuntimeContainer {
    const container: RuntimeContainer = { id: newId(), sandboxId, name, env, state: 'running' };
    this.#containers.set(container.id, container);
    this.#bySandbox.set(sandboxId, (this.#bySandbox.get(sandboxId) ?? new Set()).add(container));
    return container;
  }

  findContainer(id: string): RuntimeContainer | undefined {
    return this.#containers.get(id);
  }

  containersOf(sandboxId: string): RuntimeContainer[] {
    return [...(this.#bySandbox.get(sandboxId) ?? [])];
  }

  allContainers(): RuntimeContainer[] {
    return [...this.#containers.values()];
  }

  #nextCreationTime(): bigint {
    const now = BigInt(Date.now()) * 1_000_000n;
    this.#lastCreatedAt = now > this.#lastCreatedAt ? now : this.#lastCreatedAt + 1n;
    return this.#lastCreatedAt;
  }
}
