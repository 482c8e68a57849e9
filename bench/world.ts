// What a measurement needs of the world that the agent runs in. The embedded cluster is one, a real one with our agent or
// another controller in its place are others: scenarios know only this.

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

export interface Timing {
  /** From the first thing sent to the last answer seen. */
  readonly totalMs: number;
  /** One per pod (edits) or per command (floor). */
  readonly latenciesMs: readonly number[];
  /** CPU time that all of the cluster used meanwhile, where that is known of a floor. */
  readonly cpuMs?: number;
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
  /** How many commands Multus needs to get as fast as it stays. */
  readonly warmUpCommands: number;
  /** ADDs and then DELs of the first `interfaces` interfaces of each pod, straight to Multus; leaves nothing behind. */
  measureFloor(
    pods: readonly PodRef[],
    options: { readonly interfaces: number; readonly parallel: number },
  ): Promise<{ readonly add: Timing; readonly del: Timing }>;
  /**
   * The same, while each pod is edited and gets a network-status, by a client that waits for nobody: no controller can do with
   * less work. Where there is no API server of its own weight it would say nothing.
   */
  measureLeast?(
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
  /** Since then; undefined where nobody counts them. */
  calls(): Promise<Calls | undefined>;
  /** CPU time that the agent has used up to now; undefined where the system does not tell. */
  agentCpuMs(): Promise<number | undefined>;
  agentMemory(): Promise<Memory | undefined>;
  /** The same of all the rest: API server, runtime, Multus and its plugins, or what stands in for them. */
  serverCpuMs(): Promise<number | undefined>;
  /** Lets every Multus command take this much longer. */
  slowMultus(ms: number): Promise<void>;
  /** Throws if pods, status and addresses contradict each other. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}
