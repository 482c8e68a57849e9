// Random edits on a handful of pods, a kill at a random moment, a restart, and the invariant after every one of them.
// Everything random comes from one seed, which is part of every error: `CRASH_SEED=… CRASH_RUNS=… npm test` replays it.
import { World } from '../harness.ts';
import { AgentProcess } from './agent-process.ts';
import { type Expectation, holdsEverywhere } from './invariant.ts';

const NETWORKS = ['blue', 'red', 'green'] as const;
const INTERFACES = ['a0', 'b0', 'c0', 'd0'] as const;
const PODS = 4;

/** mulberry32: small, and the same on every machine. */
const randomFrom = (seed: number) => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  };
};

type Random = ReturnType<typeof randomFrom>;

export const runRandomCrashes = async (seed: number, runs: number): Promise<void> => {
  const random = randomFrom(seed);
  const world = await World.start({ agent: false });
  let generation = 0;
  let agent: AgentProcess | undefined;
  const expected: Expectation[] = [];
  const createPod = async (): Promise<void> => {
    generation += 1;
    const interfaces = randomInterfaces(random);
    const pod = await world.pod(`pod-${generation}`, annotationOf(interfaces));
    expected.push({ pod, interfaces });
  };
  try {
    for (let count = 0; count < PODS; count += 1) await createPod();
    for (let run = 1; run <= runs; run += 1) {
      const context = `seed ${seed}, run ${run}`;
      agent = AgentProcess.start(world.cluster, { multusTimeout: '1s' });
      await holdsEverywhere(world, expected, context);
      const armed = armKill(world, random, agent);
      for (let edits = 1 + random.below(3); edits > 0; edits -= 1) await disturb(world, random, expected, createPod);
      await armed;
    }
    agent = AgentProcess.start(world.cluster, { multusTimeout: '1s' });
    await holdsEverywhere(world, expected, `seed ${seed}, after all runs`);
  } finally {
    await agent?.killAndWait();
    await world.stop();
  }
};

/** Kills at a random request of a random kind, or after a random moment if that request never comes. */
const armKill = async (world: World, random: Random, agent: AgentProcess): Promise<void> => {
  let countdown = random.below(4);
  const phase = random.pick(['received', 'acted'] as const);
  const onMultus = random.chance(0.5);
  const strike = async () => {
    countdown -= 1;
    if (countdown === -1) await agent.killAndWait();
  };
  const off = onMultus
    ? world.cluster.multus.onRequest(strike, phase)
    : world.cluster.api.faults.onRequest(strike, phase, { verb: ['patch', 'create'] });
  const timer = setTimeout(() => agent.kill(), 5 + random.below(60));
  await agent.ended;
  clearTimeout(timer);
  if (typeof off === 'function') off();
  else off.off();
};

const disturb = async (
  world: World,
  random: Random,
  expected: Expectation[],
  createPod: () => Promise<void>,
): Promise<void> => {
  const index = random.below(expected.length);
  const target = expected[index];
  if (target === undefined) return;
  if (random.chance(0.12)) {
    await world.cluster.deletePod(target.pod, { force: random.chance(0.5) });
    expected.splice(index, 1);
    await createPod();
    return;
  }
  if (random.chance(0.08)) await world.cluster.kubelet.killSandbox(target.pod);
  if (random.chance(0.15))
    world.cluster.multus.inject(
      { kind: random.pick(['halfWay', 'errorAfterActing'] as const) },
      { command: 'ADD', times: 1 },
    );
  const interfaces = randomInterfaces(random);
  world.edit(target.pod, annotationOf(interfaces));
  expected[index] = { pod: target.pod, interfaces };
};

const randomInterfaces = (random: Random): Record<string, string> =>
  Object.fromEntries(
    INTERFACES.filter(() => random.chance(0.45)).map((name) => [name, `default/${random.pick(NETWORKS)}`]),
  );

const annotationOf = (interfaces: Record<string, string>): string =>
  Object.entries(interfaces)
    .map(([name, network]) => `${network}@${name}`)
    .join(',');
