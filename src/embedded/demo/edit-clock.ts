// When somebody last asked for something else: a pod made or deleted, its networks annotation edited. By whatever program, so
// that what the agent took is told from what a command line took to start.
import type { EmbeddedCluster } from '../cluster.ts';
import type { PodRef } from '../node/kubelet.ts';
import { networksAnnotation } from '../node/network-status.ts';

export class EditClock {
  readonly #request: () => string;
  readonly #end: () => void;
  #last: string;
  #since = performance.now();

  constructor(cluster: EmbeddedCluster, ref: PodRef) {
    this.#request = () => {
      const { uid, annotations, deletionTimestamp } =
        cluster.objects.find({ resource: 'pods', ...ref })?.metadata ?? {};
      return JSON.stringify([uid, deletionTimestamp !== undefined, annotations?.[networksAnnotation]]);
    };
    this.#last = this.#request();
    this.#end = cluster.objects.subscribe(() => this.#look());
  }

  /** From now on, whatever was asked for when. */
  restart(): void {
    this.#since = performance.now();
  }

  get elapsedMs(): number {
    return performance.now() - this.#since;
  }

  stop(): void {
    this.#end();
  }

  #look(): void {
    const now = this.#request();
    if (now === this.#last) return;
    this.#last = now;
    this.restart();
  }
}
