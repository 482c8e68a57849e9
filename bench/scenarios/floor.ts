import type { Timing } from '../world.ts';
import { latencyValues, machineLoad, type Values } from './observe.ts';
import { inWorld, PARALLEL, type Scenario } from './scenario.ts';
import { warmUp } from './warm-up.ts';

const cpuOf = ({ cpuMs }: Timing, pods: number): Values => (cpuMs === undefined ? {} : { floorCpuMs: cpuMs / pods });

export const floor: Scenario = {
  name: 'floor',
  description: 'the same ADDs and DELs sent straight to Multus, 8 in parallel, without an agent',
  podCounts: (all) => all,
  run: (context) =>
    inWorld(context, async (world) => {
      const pods = await world.createPods(context.pods);
      await warmUp(world, pods);
      const load = machineLoad();
      const { add, del } = await world.measureFloor(pods, { interfaces: 1, parallel: PARALLEL });
      const row = { scenario: 'floor', pods: context.pods };
      return [
        { ...row, step: 'ADD', values: { ...latencyValues(add), ...cpuOf(add, context.pods), load } },
        { ...row, step: 'DEL', values: { ...latencyValues(del), ...cpuOf(del, context.pods), load } },
      ];
    }),
};
