// Watches one pod and tells of every change as it happens.
// Promises: changes come in order and once; those of one burst (one answer of the node, one write to the API) come together.
import type { EmbeddedCluster } from '../cluster.ts';
import type { PodRef } from '../node/kubelet.ts';
import { type Change, describeChanges } from './changes.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

export type OnChanges = (changes: readonly Change[], elapsedMs: number) => void;

export class Follower {
  onChanges: OnChanges;
  readonly #take: () => Snapshot;
  readonly #ends: readonly (() => void)[];
  #last: Snapshot;
  #since = performance.now();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(cluster: EmbeddedCluster, ref: PodRef, onChanges: OnChanges) {
    this.onChanges = onChanges;
    this.#take = () => takeSnapshot(cluster, ref);
    this.#last = this.#take();
    const wake = () => {
      this.#scheduled ??= setImmediate(() => this.flush());
    };
    this.#ends = [cluster.objects, cluster.kernel, cluster.ipam].map((source) => source.subscribe(wake));
  }

  /** From now on elapsed time is counted anew. */
  restartClock(): void {
    this.flush();
    this.#since = performance.now();
  }

  get elapsedMs(): number {
    return performance.now() - this.#since;
  }

  /** Tells what is not told yet; returns what is seen now. */
  flush(): Snapshot {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const now = this.#take();
    const changes = describeChanges(this.#last, now);
    this.#last = now;
    if (changes.length > 0) this.onChanges(changes, this.elapsedMs);
    return now;
  }

  stop(): void {
    for (const end of this.#ends) end();
    clearImmediate(this.#scheduled);
  }
}
