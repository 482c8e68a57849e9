import type { Measurement } from '../measurement.ts';
import type { BenchWorld, PodRef, Timing } from '../world.ts';
import { latencyValues, observe, type Values } from './observe.ts';
import { inWorld, PARALLEL, type Scenario, type ScenarioContext } from './scenario.ts';
import { warmUp } from './warm-up.ts';

const STEPS = [
  { step: 'plug 1 (cold)', interfaces: 1, of: 'add', commands: 1 },
  { step: 'plug 2 more (warm)', interfaces: 3, of: 'add', commands: 2 },
  { step: 'unplug 3', interfaces: 0, of: 'del', commands: 3 },
] as const;

type Floors = readonly { readonly add: Timing; readonly del: Timing }[];

/** For each step, as many commands of the same kind, in the same world. */
const measureFloors = async (world: BenchWorld, pods: readonly PodRef[]) => {
  const floors = [];
  const leasts = [];
  for (const { commands } of STEPS) {
    const options = { interfaces: commands, parallel: PARALLEL };
    floors.push(await world.measureFloor(pods, options));
    const least = await world.measureLeast?.(pods, options);
    if (least !== undefined) leasts.push(least);
  }
  return { floors: floors satisfies Floors, leasts: leasts satisfies Floors };
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
  await world.stopAgent();
  const after = await measureFloors(world, pods);
  return STEPS.map(({ step, of }, index) => {
    const { totalMs = Number.NaN, ...others } = observations[index] ?? {};
    const floors = [before, after].flatMap((each) => each.floors[index]?.[of] ?? []);
    const leasts = [before, after].flatMap((each) => each.leasts[index]?.[of] ?? []);
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
  description: 'all annotations edited at once: plug 1, plug 2 more, unplug all 3',
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
