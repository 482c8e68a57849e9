// Faults that tests and the demo switch on and off while the node runs.
// Promises: a fault applies to matching calls until it is released or has struck `times` times; releasing it lets go of
// every call it made hang; `reached` resolves when it first strikes.

export interface InjectedFault {
  /** Resolves when the fault first applies to a call. */
  readonly reached: Promise<void>;
  readonly strikes: number;
  release(): void;
}

export interface StrikingFault<Fault> {
  readonly fault: Fault;
  readonly released: Promise<void>;
}

interface Entry<Fault, Call> {
  readonly fault: Fault;
  readonly matches: (call: Call) => boolean;
  readonly reached: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
  left: number;
  strikes: number;
}

export class FaultTable<Fault, Call> {
  readonly #entries = new Set<Entry<Fault, Call>>();

  inject(fault: Fault, matches: (call: Call) => boolean, times = Number.POSITIVE_INFINITY): InjectedFault {
    const entry: Entry<Fault, Call> = {
      fault,
      matches,
      reached: Promise.withResolvers(),
      released: Promise.withResolvers(),
      left: times,
      strikes: 0,
    };
    this.#entries.add(entry);
    return {
      reached: entry.reached.promise,
      get strikes() {
        return entry.strikes;
      },
      release: () => this.#release(entry),
    };
  }

  /** The faults that strike this call, in order of injection; each of them is counted. */
  strike(call: Call): StrikingFault<Fault>[] {
    const striking = [...this.#entries].filter((entry) => entry.left > 0 && entry.matches(call));
    for (const entry of striking) {
      entry.left -= 1;
      entry.strikes += 1;
      entry.reached.resolve();
    }
    return striking.map((entry) => ({ fault: entry.fault, released: entry.released.promise }));
  }

  clear(): void {
    for (const entry of this.#entries) this.#release(entry);
  }

  #release(entry: Entry<Fault, Call>): void {
    this.#entries.delete(entry);
    entry.released.resolve();
  }
}
