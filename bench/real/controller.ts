// Who plugs while a real cluster is measured: our agent, or another controller in its place.
import type { Calls, Memory } from '../world.ts';

export interface Controller {
  /** Whether what it uses is part of what the nodes use. */
  readonly isInCluster: boolean;
  /** Whether it writes our ledger, which can be judged then. */
  readonly hasLedger: boolean;
  /** How long a burst may take before it counts as failed. */
  readonly editDeadlineMs: number;
  /** Resolves when it works; `proveIt` plugs and unplugs one pod for those who do not tell themselves. */
  start(proveIt: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
  /** Since its start; undefined where nobody counts them. */
  calls(): Promise<Calls | undefined>;
  /** A text that stays the same while it has nothing to do. */
  activity(): Promise<string>;
  cpuMs(): Promise<number | undefined>;
  memory(): Promise<Memory | undefined>;
}
