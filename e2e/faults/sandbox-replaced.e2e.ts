// A pod gets another sandbox, because the old one was killed or because its node was rebooted. Multus attaches anew what the
// annotation lists; what the agent had attached to the old sandbox is given back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { hasNodeAccess } from '../fixture.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';

const podNames = ['a', 'b', 'c'];
const deadlineMs = 90_000;

let world: FaultWorld;
let agents: Agents;

const worker = () => world.host(world.nodeNames.at(-1) ?? '');
const sandboxOf = async (pod: string): Promise<string> => {
  const [newest] = await worker().sandboxes(await world.uidOf(pod));
  if (newest === undefined) throw new Error(`pod ${pod} has no sandbox`);
  return newest.id;
};

const haveOtherSandboxes = (old: readonly string[]): Promise<true> =>
  pollUntil(
    'every pod to have another sandbox',
    async () => {
      const present = await Promise.all(podNames.map(sandboxOf));
      return present.some((id) => old.includes(id)) ? undefined : true;
    },
    { deadlineMs },
  );

beforeAll(async () => {
  world = await startWorld({ name: 'sandbox', range: 65 });
  agents = makeAgents(world);
  await world.createPods(podNames, onWorker);
});
afterAll(() => world.close());

describe('another sandbox', () => {
  it('after the old one was killed: interfaces come back, the old addresses are given back', async () => {
    await world.edit({ a: { x0: 'local', y0: 'wide' }, b: { x0: 'local' }, c: { x0: 'wide' } });
    await world.converges('before the sandboxes are killed');
    const old = await Promise.all(podNames.map(sandboxOf));
    await Promise.all(old.map((id) => worker().signalTask(id, 'SIGKILL')));
    // One pod is edited while it has no sandbox, or one that is about to go.
    await world.edit({ b: { z0: 'local' } });
    await haveOtherSandboxes(old);
    await world.converges('after the sandboxes were killed');
  });

  it.skipIf(!hasNodeAccess)('after the node was rebooted: everything agrees, and plugging works', async () => {
    // Multus itself leaks what it attached at creation when a node is rebooted: only what the agent plugs may be there.
    await world.deletePods(podNames);
    await world.converges('before the new pods');
    await world.createPods(podNames, onWorker);
    await world.edit({ a: { x0: 'local', y0: 'wide' }, b: { x0: 'local' }, c: { x0: 'wide' } });
    await world.converges('before the reboot');
    const old = await Promise.all(podNames.map(sandboxOf));
    await world.edit({ b: { z0: 'local' } });
    await world.cluster.node('worker').reboot();
    await haveOtherSandboxes(old);
    await world.converges('after the reboot', deadlineMs);
    await agents.areReady();
    await world.edit({ a: { y0: 'local' }, c: { x0: 'wide', z0: 'local' } });
    await world.converges('after edits following the reboot');
    expect(await worker().signalContainers('agent', 'SIGCONT')).toBe(1);
  });
});
