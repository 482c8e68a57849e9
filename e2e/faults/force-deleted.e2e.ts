// Pods that are deleted by force vanish from the API at once, while their containers may still run: nobody can ask for their
// interfaces in their name any more. Their addresses come back all the same, also when no agent ran at that time.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';

const byForce = ['--force', '--grace-period=0'];
const interfaces = { x0: 'local', y0: 'wide' };

let world: FaultWorld;
let agents: Agents;

const startPods = async (names: readonly string[]): Promise<void> => {
  await world.createPods(names, onWorker);
  await world.edit(Object.fromEntries(names.map((name) => [name, interfaces])));
};

beforeAll(async () => {
  world = await startWorld({ name: 'force-deleted', range: 66 });
  agents = makeAgents(world);
});
afterAll(() => world.close());

describe('pods deleted by force', () => {
  it('give their addresses back', async () => {
    await startPods(['a', 'b', 'c']);
    await world.converges('before they are deleted');
    await world.deletePods(['a', 'b'], ...byForce);
    await world.converges('after two were deleted');
  });

  it('give their addresses back when they are deleted while interfaces are plugged', async () => {
    await startPods(['d', 'e', 'f']);
    await world.deletePods(['d', 'e', 'f'], ...byForce);
    await world.converges('after they were deleted at once');
  });

  it('give their addresses back when no agent runs, also to pods of the same name', async () => {
    await startPods(['g', 'h', 'i']);
    await world.converges('before the agents are taken away');
    await agents.takeAway();
    try {
      await world.deletePods(['g', 'h'], ...byForce);
      await world.deletePods(['i']);
      await world.createPods(['g'], onWorker);
    } finally {
      await agents.bringBack();
    }
    await world.edit({ g: interfaces });
    await world.converges('after the agents came back');
  });
});
