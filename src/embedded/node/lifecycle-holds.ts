// Places in a pod's life where a test can make the kubelet stop and look around.
// Promises: a held pod goes no further than the stage until it is released; `reached` resolves when it stands there.

/** Before the sandbox is made; before the containers end; before the sandbox goes; before the API object goes. */
export type LifecycleStage = 'creation' | 'containers' | 'sandbox' | 'object';

export interface Hold {
  readonly reached: Promise<void>;
  release(): void;
}

export class LifecycleHolds {
  readonly #holds = new Map<string, Set<PromiseWithResolvers<void>>>();

  hold(pod: string, stage: LifecycleStage, onRelease: () => void): Hold {
    const key = `${pod} ${stage}`;
    const reached = Promise.withResolvers<void>();
    const holds = this.#holds.get(key) ?? new Set();
    this.#holds.set(key, holds.add(reached));
    return {
      reached: reached.promise,
      release: () => {
        holds.delete(reached);
        if (holds.size === 0 && this.#holds.get(key) === holds) this.#holds.delete(key);
        onRelease();
      },
    };
  }

  isHeld(pod: string, stage: LifecycleStage): boolean {
    const holds = this.#holds.get(`${pod} ${stage}`);
    for (const reached of holds ?? []) reached.resolve();
    return holds !== undefined;
  }
}
