import type { Measurement } from '../measurement.ts';
import type { SoakOptions } from '../real/soak.ts';
import type { BenchWorld } from '../world.ts';

export interface ScenarioContext {
  readonly pods: number;
  /** A world of its own for each scenario: nothing that an earlier one left may count. */
  readonly startWorld: () => Promise<BenchWorld>;
  readonly progress: (text: string) => void;
  /** How long a Multus command takes in `paced`. */
  readonly multusMs: number;
  /** Only on a real cluster. */
  readonly soak?: SoakOptions;
}

export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** With which of the numbers of pods it runs. */
  readonly podCounts: (all: readonly number[]) => readonly number[];
  readonly run: (context: ScenarioContext) => Promise<Measurement[]>;
}

/** The agent's default concurrency: the floor gets no more of it. */
export const PARALLEL = 8;
/** Nothing was called for this long: the agent has nothing left to do. */
export const QUIET_MS = 500;

export const inWorld = async <T>(context: ScenarioContext, use: (world: BenchWorld) => Promise<T>): Promise<T> => {
  const world = await context.startWorld();
  let result: T;
  try {
    result = await use(world);
  } catch (error) {
    // What comes of the clean-up must not hide why it was needed.
    await world.stop().catch((failure: unknown) => context.progress(`the clean-up failed, too: ${String(failure)}`));
    throw error;
  }
  await world.stop();
  return result;
};
