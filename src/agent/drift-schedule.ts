// When each pod is next looked at for drift: once per interval, spread out so that no two pods of a node, and no two nodes,
// are looked at in the same instant for long.

export interface DriftScheduleOptions {
  /** 0 turns the looking off. */
  readonly intervalMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

export class DriftSchedule {
  readonly #options: DriftScheduleOptions;
  readonly #nextAt = new Map<string, number>();

  constructor(options: DriftScheduleOptions) {
    this.#options = options;
  }

  isDue(uid: string): boolean {
    const { intervalMs, now, random } = this.#options;
    if (intervalMs === 0) return false;
    const nextAt = this.#nextAt.get(uid);
    if (nextAt === undefined) this.#nextAt.set(uid, now() + Math.round(intervalMs * (0.5 + random() / 2)));
    return nextAt !== undefined && nextAt <= now();
  }

  checked(uid: string): void {
    const { intervalMs, now, random } = this.#options;
    this.#nextAt.set(uid, now() + Math.round(intervalMs * (0.9 + random() / 5)));
  }

  /** Forgets pods that are gone. */
  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.#nextAt.keys()) if (!uids.has(uid)) this.#nextAt.delete(uid);
  }
}
