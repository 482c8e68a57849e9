import type { BenchWorld, PodRef } from '../world.ts';
import { PARALLEL } from './scenario.ts';

const AT_ONCE = 100;

/** The Multus that is measured against must not get faster while it is measured. */
export const warmUp = async (world: BenchWorld, pods: readonly PodRef[]): Promise<void> => {
  const some = pods.slice(0, AT_ONCE);
  for (let done = 0; done < world.warmUpCommands; done += some.length) {
    await world.measureFloor(some, { interfaces: 1, parallel: PARALLEL });
  }
};
