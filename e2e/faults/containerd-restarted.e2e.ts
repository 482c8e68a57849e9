// The container runtime is restarted while interfaces are plugged; pods live on, and so must their interfaces.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasNodeAccess } from '../fixture.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';
import type { Interfaces } from './invariant.ts';

const podNames = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Never plugged before containerd is down, so that the agent has to ask for its sandbox then. */
const newcomer = 'newcomer';

let world: FaultWorld;
let agents: Agents;

beforeAll(async () => {
  world = await startWorld({ name: 'containerd', range: 63 });
  agents = makeAgents(world);
  await world.createPods([...podNames, newcomer], onWorker);
});
afterAll(() => world.close());

it.skipIf(!hasNodeAccess)(
  'containerd killed and restarted while interfaces are plugged and unplugged: everything agrees afterwards',
  async () => {
    const node = world.cluster.node('worker');
    const uidsBefore = (await world.pods()).map(({ metadata }) => metadata.uid);
    const editAll = (interfaces: Interfaces) =>
      world.edit(Object.fromEntries(podNames.map((name) => [name, interfaces])));
    for (const interfaces of [{ x0: 'local', y0: 'wide' }, { y0: 'local' }]) {
      const editing = editAll(interfaces);
      await node.killService('containerd');
      await editing;
      await world.converges('after containerd was killed');
    }

    const readiness = await agents.readinessOn('worker');
    await node.stopService('containerd');
    try {
      await editAll({ x0: 'local', z0: 'wide' });
      await world.edit({ [newcomer]: { x0: 'local' } });
      await readiness.blames('containerRuntime');
    } finally {
      await node.startService('containerd');
    }
    await world.converges('after edits while containerd was down');
    expect((await world.pods()).map(({ metadata }) => metadata.uid)).toEqual(uidsBefore);
    await agents.areReady();
  },
);
