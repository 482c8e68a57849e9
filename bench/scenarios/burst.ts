import type { Measurement } from '../measurement.ts';
import type { BenchWorld, PodRef, Timing } from '../world.ts';
import { latencyValues, observe, type Values } from './observe.ts';
import { inWorld, PARALLEL, type Scenario, type ScenarioContext } from './scenario.ts';
import { warmUp } from './warm-up.ts';

/** How many commands each pod gets in one go: what the floor is measured with. */
const COMMANDS = [1, 2, 3] as const;

/**
 * The first is that of an agent that has just started: it knows no sandbox, and has plugged nothing yet, while Multus and its
 * plugins are warm. The last is the same once more, as on any later day.
 */
const STEPS = [
  { step: 'plug 1 (cold)', interfaces: 1, of: 'add', commands: 1 },
  { step: 'plug 2 more (warm)', interfaces: 3, of: 'add', commands: 2 },
  { step: 'unplug 3', interfaces: 0, of: 'del', commands: 3 },
  { step: 'again plug 1 (warm)', interfaces: 1, of: 'add', commands: 1 },
] as const;

type Floor = Awaited<ReturnType<BenchWorld['measureFloor']>>;

/** As many commands of the same kind as each step has, in the same world. */
const measureFloors = async (world: BenchWorld, pods: readonly PodRef[]) => {
  const floors = new Map<number, Floor>();
  const leasts = new Map<number, Floor>();
  for (const commands of COMMANDS) {
    const options = { interfaces: commands, parallel: PARALLEL };
    floors.set(commands, await world.measureFloor(pods, options));
    const least = await world.measureLeast?.(pods, options);
    if (least !== undefined) leasts.set(commands, least);
  }
  return { floors, leasts };
};

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A plug costs API server, kubelet and Multus time, too: all of it per pod, and against the floor. */
const cpuValues = (
  { agentCpuMs, serverCpuMs }: Values,
  floorMs: readonly (number | undefined)[],
  pods: number,
): Values => {
  const floors = floorMs.filter((ms) => ms !== undefined);
  if (floors.length === 0 || agentCpuMs === undefined || serverCpuMs === undefined) return {};
  const floorCpuMs = meanOf(floors) / pods;
  return { floorCpuMs, cpuRatio: (agentCpuMs + serverCpuMs) / floorCpuMs };
};

/** How near to the floor any controller can come here, and how near to that this one is. */
const leastValues = (leasts: readonly Timing[], floorMs: number, totalMs: number): Values => {
  if (leasts.length === 0) return {};
  const leastMs = meanOf(leasts.map((least) => least.totalMs));
  return { leastMs, leastRatio: leastMs / floorMs, ratioToLeast: totalMs / leastMs };
};

/** Each step with its own floor, from before and after: a machine with other work may be another one a minute later. */
const runBurst = async (
  { pods: count, progress }: ScenarioContext,
  world: BenchWorld,
  scenario: string,
): Promise<Measurement[]> => {
  const pods = await world.createPods(count);
  await warmUp(world, pods);
  const before = await measureFloors(world, pods);
  await world.startAgent();
  const observations: Values[] = [];
  for (const { step, interfaces } of STEPS) {
    const { result, values } = await observe(world, () => world.edit(pods, interfaces), { per: count });
    await world.verify();
    progress(`${step}: ${result.totalMs.toFixed(0)} ms`);
    observations.push({ ...latencyValues(result), ...values });
  }
  await world.edit(pods, 0);
  await world.stopAgent();
  const after = await measureFloors(world, pods);
  return STEPS.map(({ step, of, commands }, index) => {
    const { totalMs = Number.NaN, ...others } = observations[index] ?? {};
    const floors = [before, after].flatMap((each) => each.floors.get(commands)?.[of] ?? []);
    const leasts = [before, after].flatMap((each) => each.leasts.get(commands)?.[of] ?? []);
    const floorMs = meanOf(floors.map((floor) => floor.totalMs));
    progress(
      `${step}: ${totalMs.toFixed(0)} ms, floor ${floors.map((one) => one.totalMs.toFixed(0)).join(' and ')} ms`,
    );
    const values = {
      totalMs,
      floorMs,
      ratio: totalMs / floorMs,
      ...leastValues(leasts, floorMs, totalMs),
      ...others,
      ...cpuValues(
        others,
        floors.map(({ cpuMs }) => cpuMs),
        count,
      ),
    };
    return { scenario, pods: count, step, values };
  });
};

export const burst: Scenario = {
  name: 'burst',
  description: 'all annotations edited at once: plug 1, plug 2 more, unplug all 3, plug 1 again',
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
