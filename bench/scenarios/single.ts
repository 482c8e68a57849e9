import { setTimeout as delay } from 'node:timers/promises';
import type { Measurement } from '../measurement.ts';
import type { BenchWorld, PodRef, Timing } from '../world.ts';
import { latencyValues, observe } from './observe.ts';
import { inWorld, type Scenario } from './scenario.ts';
import { warmUp } from './warm-up.ts';

const PLUGS = 50;
/** Between two plugs, so that the event of the one is sent before the other. */
const GAP_MS = 50;

const oneByOne = async (world: BenchWorld, pods: readonly PodRef[], interfaces: number): Promise<Timing> => {
  const latenciesMs: number[] = [];
  for (const pod of pods) {
    latenciesMs.push((await world.edit([pod], interfaces)).totalMs);
    await delay(GAP_MS);
  }
  return { totalMs: latenciesMs.reduce((sum, ms) => sum + ms, 0), latenciesMs };
};

export const single: Scenario = {
  name: 'single',
  description: `${PLUGS} plugs, one after the other, on an idle agent: on pods it has not seen yet, then on the same again`,
  podCounts: (all) => all.slice(0, 1),
  run: (context) =>
    inWorld(context, async (world) => {
      const pods = (await world.createPods(Math.max(context.pods, PLUGS))).slice(0, PLUGS);
      await warmUp(world, pods);
      const { add } = await world.measureFloor(pods, { interfaces: 1, parallel: 1 });
      const bare = latencyValues(add);
      await world.startAgent();
      const rows: Measurement[] = [];
      for (const [step, interfaces] of [
        ['cold pod', 1],
        ['warm pod', 2],
      ] as const) {
        const { result, values } = await observe(world, () => oneByOne(world, pods, interfaces), { per: PLUGS });
        const latency = latencyValues(result);
        const floorMs = bare['p50Ms'] ?? Number.NaN;
        const ratio = (latency['p50Ms'] ?? Number.NaN) / floorMs;
        rows.push({
          scenario: 'single',
          pods: context.pods,
          step,
          values: { plugs: PLUGS, ...latency, floorMs, ratio, ...values },
        });
      }
      await world.verify();
      return rows;
    }),
};
