// What a measurement needs of the world that the agent runs in. The embedded cluster is one; a real node, or another agent
// in place of ours, would be others: scenarios know only this.

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

export interface Timing {
  /** From the first thing sent to the last answer seen. */
  readonly totalMs: number;
  /** One per pod (edits) or per command (floor). */
  readonly latenciesMs: readonly number[];
}

/** Counts by what was called: `ListPodSandbox`, `ADD`, `patch pods`. */
export interface Calls {
  readonly cri: Readonly<Record<string, number>>;
  readonly multus: Readonly<Record<string, number>>;
  readonly api: Readonly<Record<string, number>>;
}

export interface Memory {
  readonly rssMiB: number;
  readonly peakMiB: number;
}

export interface BenchWorld {
  /** What it is, as far as it matters for the numbers. */
  readonly description: string;
  /** Running, with their default network, and without any of our interfaces. */
  createPods(count: number): Promise<readonly PodRef[]>;
  /** ADDs and then DELs of the first `interfaces` interfaces of each pod, straight to Multus; leaves nothing behind. */
  measureFloor(
    pods: readonly PodRef[],
    options: { readonly interfaces: number; readonly parallel: number },
  ): Promise<{ readonly add: Timing; readonly del: Timing }>;
  /** Resolves when the agent has read everything and begins to work. */
  startAgent(): Promise<{ readonly readyMs: number }>;
  stopAgent(): Promise<void>;
  /** Asks for the first `interfaces` interfaces of each pod, all at once; resolves when network-status of all shows just these. */
  edit(pods: readonly PodRef[], interfaces: number): Promise<Timing>;
  /** Resolves when nobody called anything for this long; watches that stay open do not count. */
  settle(quietMs: number): Promise<void>;
  /** Sets the counters to zero, and lets the servers put themselves in order. */
  beginMeasuring(): Promise<void>;
  calls(): Promise<Calls>;
  /** CPU time that the agent has used up to now; undefined where the system does not tell. */
  agentCpuMs(): number | undefined;
  agentMemory(): Memory | undefined;
  /** The same of what stands in for API server, runtime and Multus. */
  serverCpuMs(): Promise<number | undefined>;
  /** Lets every Multus command take this much longer. */
  slowMultus(ms: number): Promise<void>;
  /** Throws if pods, status and addresses contradict each other. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}
