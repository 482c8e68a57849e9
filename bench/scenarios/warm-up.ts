import type { BenchWorld, PodRef } from '../world.ts';
import { PARALLEL } from './scenario.ts';

const COMMANDS = 100;

/** The stand-in for Multus is compiled as it runs; the one that is measured against must not get faster meanwhile. */
export const warmUp = async (world: BenchWorld, pods: readonly PodRef[]): Promise<void> => {
  const some = pods.slice(0, COMMANDS);
  for (let done = 0; done < 3 * COMMANDS; done += some.length) {
    await world.measureFloor(some, { interfaces: 1, parallel: PARALLEL });
  }
};
