import { setTimeout as delay } from 'node:timers/promises';
import type { Measurement } from '../measurement.ts';
import { observe } from './observe.ts';
import { inWorld, type Scenario } from './scenario.ts';

const IDLE_MS = 10_000;

export const memory: Scenario = {
  name: 'memory',
  description: `memory of the agent at start, after a burst and idle; what it calls in ${IDLE_MS / 1000} s of idleness`,
  podCounts: (all) => all,
  run: (context) =>
    inWorld(context, async (world) => {
      const pods = await world.createPods(context.pods);
      await world.startAgent();
      await world.settle(1000);
      const atStart = await world.agentMemory();
      await world.edit(pods, 1);
      await world.settle(1000);
      const afterBurst = await world.agentMemory();
      const { values } = await observe(world, () => delay(IDLE_MS), { per: 1 });
      const idle = await world.agentMemory();
      const rows: Measurement[] = [{ scenario: 'idle', pods: context.pods, step: `${IDLE_MS / 1000} s`, values }];
      if (atStart === undefined || afterBurst === undefined || idle === undefined) {
        context.progress('no /proc here: the memory of the agent cannot be told');
        return rows;
      }
      const mib = {
        startMiB: atStart.rssMiB,
        burstMiB: afterBurst.rssMiB,
        idleMiB: idle.rssMiB,
        peakMiB: idle.peakMiB,
      };
      return [{ scenario: 'memory', pods: context.pods, step: 'plug 1', values: mib }, ...rows];
    }),
};
