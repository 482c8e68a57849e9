import { observe } from './observe.ts';
import { inWorld, type Scenario } from './scenario.ts';

export const start: Scenario = {
  name: 'start',
  description: 'the agent starts on pods that have their interfaces already: what it asks, and when it is ready',
  podCounts: (all) => all.slice(-1),
  run: (context) =>
    inWorld(context, async (world) => {
      const pods = await world.createPods(context.pods);
      await world.startAgent();
      await world.edit(pods, 1);
      await world.settle(1000);
      await world.stopAgent();
      const { result, values } = await observe(world, () => world.startAgent(), { per: 1 });
      const { agentCpuMs: _, ...calls } = values;
      const cpuMs = await world.agentCpuMs();
      const row = { scenario: 'start', pods: context.pods, step: 'nothing changed' };
      return [
        { ...row, values: { readyMs: result.readyMs, ...(cpuMs !== undefined && { agentCpuMs: cpuMs }), ...calls } },
      ];
    }),
};
