// A node goes for good: its machine is off and its Node object deleted. Its pods go as they would without us, since nothing of
// ours holds them; addresses of the cluster-wide store come back when the machine returns, and not before.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { hasNodeAccess } from '../fixture.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';

const podNames = ['a', 'b', 'c'];
/** The garbage collector of pods waits 40 s after it missed a node, and looks every 20 s. */
const collectedDeadlineMs = 100_000;

let world: FaultWorld;
let agents: Agents;

beforeAll(async () => {
  world = await startWorld({ name: 'node-removed', range: 70 });
  agents = makeAgents(world);
  await world.createPods(podNames, onWorker);
});
afterAll(() => world.close());

it.skipIf(!hasNodeAccess)(
  'pods of a removed node go, and a machine that returns gives back what they held',
  { timeout: 300_000 },
  async () => {
    await world.edit({ a: { x0: 'local', y0: 'wide' }, b: { x0: 'wide' }, c: { x0: 'local' } });
    await world.converges('before the node goes');
    const path = 'jsonpath={.items[*].metadata.finalizers}';
    expect(await world.kubectl.run(['-n', world.namespace, 'get', 'pods', '-o', path])).toBe('');

    await world.cluster.node('worker').powerOff();
    try {
      await world.kubectl.run(['delete', 'node', 'worker']);
      const areGone = async () => ((await world.pods()).length === 0 ? true : undefined);
      await pollUntil('the pods of the removed node to go', areGone, {
        deadlineMs: collectedDeadlineMs,
        intervalMs: 1000,
      });
    } finally {
      await world.cluster.node('worker').powerOn();
    }
    world.forgetPods(podNames);
    await agents.areReady();
    await world.converges('after the machine came back');
    await world.createPods(podNames, onWorker);
    await world.edit({ a: { x0: 'local', y0: 'wide' } });
    await world.converges('after new pods started there');
  },
);
