import { latencyValues } from './observe.ts';
import { inWorld, PARALLEL, type Scenario } from './scenario.ts';
import { warmUp } from './warm-up.ts';

export const floor: Scenario = {
  name: 'floor',
  description: 'the same ADDs and DELs sent straight to Multus, 8 in parallel, without an agent',
  podCounts: (all) => all,
  run: (context) =>
    inWorld(context, async (world) => {
      const pods = await world.createPods(context.pods);
      await warmUp(world, pods);
      const { add, del } = await world.measureFloor(pods, { interfaces: 1, parallel: PARALLEL });
      const row = { scenario: 'floor', pods: context.pods };
      return [
        { ...row, step: 'ADD', values: latencyValues(add) },
        { ...row, step: 'DEL', values: latencyValues(del) },
      ];
    }),
};
