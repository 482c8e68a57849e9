// The agent is killed at every ledger transition, and before and after each of its side effects, one point per run.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../harness.ts';
import { AgentProcess } from './agent-process.ts';
import { holdsEverywhere } from './invariant.ts';

let world: World;
let agent: AgentProcess | undefined;
beforeAll(async () => {
  world = await World.start({ agent: false });
});
afterEach(async () => {
  world.cluster.api.faults.clear();
  await agent?.killAndWait();
});
afterAll(async () => {
  await world.stop();
});

/** Plug two beside one that came with the pod; then move one, replace one's attributes, and unplug the one from creation. */
const FIRST = 'red@b0, blue@a0, green@c0';
const SECOND = [
  { name: 'red', interface: 'a0' },
  { name: 'green', interface: 'c0', mac: '02:00:00:00:00:0c' },
];

let runs = 0;

/** Plays the story until the agent dies or the story ends; then a healthy agent must bring everything in order. */
const playWithCrash = async (start: () => AgentProcess, context: string): Promise<boolean> => {
  runs += 1;
  const pod = await world.pod(`crash-${runs}`, 'red@b0');
  const crashing = start();
  agent = crashing;
  /** Does a step and waits for what follows from it, unless the agent is dead already or dies meanwhile. */
  const play = async (step: () => unknown, followed: () => Promise<unknown>): Promise<void> => {
    if (!crashing.isRunning) return;
    await step();
    await Promise.race([followed().catch(() => undefined), crashing.ended]);
  };
  await play(
    () => world.edit(pod, FIRST),
    () => world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' }),
  );
  await play(
    () => world.edit(pod, SECOND),
    () =>
      world.cluster.until(
        'second edit',
        () => world.reports(pod).length === 2 && Object.keys(world.status(pod)).length === 2,
      ),
  );
  await play(
    () => world.cluster.deletePod(pod),
    () => world.cluster.until('released', async () => Object.keys(await world.ledger()).length === 0),
  );
  const hasCrashed = (await crashing.terminate()) === 'SIGKILL';
  world.cluster.api.faults.clear();

  agent = AgentProcess.start(world.cluster);
  if (world.cluster.objects.find({ resource: 'pods', ...pod }) !== undefined) {
    world.edit(pod, SECOND);
    await holdsEverywhere(world, [{ pod, interfaces: { a0: 'default/red', c0: 'default/green' } }], context);
    await world.cluster.deletePod(pod);
  }
  await holdsEverywhere(world, [], `${context}, after deletion`);
  await agent.killAndWait();
  return hasCrashed;
};

/** Goes on to the next point until a whole story passes without reaching it. */
const everyPoint = async (startAt: (point: number) => () => AgentProcess, context: string): Promise<number> => {
  for (let point = 0; point < 60; point += 1) {
    if (!(await playWithCrash(startAt(point), `${context} ${point}`))) return point;
  }
  throw new Error('the story never ends');
};

describe('an agent that is killed', () => {
  it.each(['before', 'after'] as const)(
    'right %s each ledger transition',
    async (moment) => {
      const start = (point: number) => () => AgentProcess.startCrashing(world.cluster, point, moment);
      expect(await everyPoint(start, `${moment} ledger transition`)).toBeGreaterThanOrEqual(6);
    },
    1_200_000,
  );

  it.each(['received', 'acted'] as const)(
    'when each Multus request was %s',
    async (phase) => {
      const start = (point: number) => () => {
        let countdown = point;
        const child = AgentProcess.start(world.cluster);
        const off = world.cluster.multus.onRequest(async () => {
          countdown -= 1;
          if (countdown === -1) await child.killAndWait();
        }, phase);
        void child.ended.then(off);
        return child;
      };
      expect(await everyPoint(start, `Multus request ${phase}`)).toBeGreaterThanOrEqual(8);
    },
    1_200_000,
  );

  it.each(['received', 'acted'] as const)(
    'when each API write was %s',
    async (phase) => {
      const start = (point: number) => () => {
        let countdown = point;
        const child = AgentProcess.start(world.cluster);
        world.cluster.api.faults.onRequest(
          async () => {
            countdown -= 1;
            if (countdown !== -1) return undefined;
            await child.killAndWait();
            return 'cut';
          },
          phase,
          { verb: ['patch', 'create'] },
        );
        return child;
      };
      expect(await everyPoint(start, `API write ${phase}`)).toBeGreaterThanOrEqual(3);
    },
    1_200_000,
  );
});
