import type { Measurement } from '../measurement.ts';
import type { BenchWorld, PodRef } from '../world.ts';
import { latencyValues, observe } from './observe.ts';
import { inWorld, PARALLEL, type Scenario, type ScenarioContext } from './scenario.ts';
import { warmUp } from './warm-up.ts';

const STEPS = [
  { step: 'plug 1 (cold)', interfaces: 1, of: 'add', commands: 1 },
  { step: 'plug 2 more (warm)', interfaces: 3, of: 'add', commands: 2 },
  { step: 'unplug 3', interfaces: 0, of: 'del', commands: 3 },
] as const;

/** Each step with its own floor: as many commands of the same kind, in the same world, moments before. */
const runBurst = async (
  { pods: count, progress }: ScenarioContext,
  world: BenchWorld,
  scenario: string,
): Promise<Measurement[]> => {
  const pods = await world.createPods(count);
  await warmUp(world, pods);
  const floors = [];
  for (const { commands } of STEPS) {
    floors.push(await world.measureFloor(pods, { interfaces: commands, parallel: PARALLEL }));
  }
  await world.startAgent();
  const rows: Measurement[] = [];
  for (const [index, { step, interfaces, of }] of STEPS.entries()) {
    const { result, values } = await observe(world, () => world.edit(pods, interfaces), { per: count });
    await world.verify();
    const floorMs = floors[index]?.[of].totalMs ?? Number.NaN;
    const ratio = result.totalMs / floorMs;
    progress(`${step}: ${result.totalMs.toFixed(0)} ms, floor ${floorMs.toFixed(0)} ms`);
    rows.push({ scenario, pods: count, step, values: { ...latencyValues(result), floorMs, ratio, ...values } });
  }
  return rows;
};

export const burst: Scenario = {
  name: 'burst',
  description: 'all annotations edited at once, with an instant Multus: plug 1, plug 2 more, unplug all 3',
  podCounts: (all) => all,
  run: (context) => inWorld(context, (world) => runBurst(context, world, 'burst')),
};

/** What the instant Multus cannot tell: whether the agent's own work hides behind that of Multus. */
export const paced: Scenario = {
  name: 'paced',
  description: 'one plug per pod, all at once, with a Multus as slow as a real one',
  podCounts: (all) => all.slice(0, 1),
  run: (context) =>
    inWorld(context, async (world) => {
      const pods: readonly PodRef[] = await world.createPods(context.pods);
      await warmUp(world, pods);
      await world.slowMultus(context.multusMs);
      const { add } = await world.measureFloor(pods, { interfaces: 1, parallel: PARALLEL });
      await world.startAgent();
      const { result, values } = await observe(world, () => world.edit(pods, 1), { per: context.pods });
      const ratio = result.totalMs / add.totalMs;
      const step = `plug 1, ${context.multusMs} ms each`;
      const all = { ...latencyValues(result), floorMs: add.totalMs, ratio, ...values };
      return [{ scenario: 'paced', pods: context.pods, step, values: all }];
    }),
};
