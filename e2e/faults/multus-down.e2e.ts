// Multus dies, and hangs, while interfaces are plugged: answers are lost, and nobody knows what its plugins did.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { hasNodeAccess } from '../fixture.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';
import type { Interfaces } from './invariant.ts';

const podNames = ['a', 'b', 'c', 'd', 'e', 'f'];
const multusTimeoutMs = 3000;
const both: Interfaces = { x0: 'local', y0: 'wide' };
const other: Interfaces = { y0: 'local', z0: 'local' };

let world: FaultWorld;
let agents: Agents;

const worker = () => world.cluster.node('worker');
const editAll = (interfaces: Interfaces): Promise<void> =>
  world.edit(Object.fromEntries(podNames.map((name) => [name, interfaces])));

/** Operations whose answer never came, as the agents tell. */
const interrupted = async (): Promise<number> => {
  const lines = (await agents.logs()).split('\n').filter((line) => line.includes(world.namespace));
  return lines.filter((line) => /"(attaching|detaching) failed"/.test(line)).length;
};

beforeAll(async () => {
  world = await startWorld({ name: 'multus-down', range: 62 });
  agents = makeAgents(world);
  await agents.configure('DYNAMIC_NETWORKS_MULTUS_TIMEOUT', `${multusTimeoutMs / 1000}s`);
  await world.createPods(podNames, onWorker);
});
afterAll(async () => {
  await world.close();
  await agents.configure('DYNAMIC_NETWORKS_MULTUS_TIMEOUT', undefined);
});

describe.skipIf(!hasNodeAccess)('Multus', () => {
  it('killed while interfaces are plugged, and again while they are replaced: everything agrees afterwards', async () => {
    for (const interfaces of [both, other, both]) {
      const editing = editAll(interfaces);
      expect(await worker().signalContainers('multus', 'SIGKILL')).toBe(1);
      await editing;
      await world.converges('after Multus was killed');
    }
    expect(await interrupted()).toBeGreaterThan(0);
  });

  it('hangs for longer than the agent waits: pods say why, and everything agrees once it goes on', async () => {
    await editAll(other);
    await world.converges('before Multus hangs');
    const readiness = await agents.readinessOn('worker');
    expect(await worker().signalContainers('multus', 'SIGSTOP')).toBe(1);
    try {
      await editAll(both);
      const saysWhy = async () => {
        const { pods } = await world.look();
        return pods.every(({ notReady }) => notReady.some((text) => /Multus/i.test(text))) ? true : undefined;
      };
      await pollUntil('every pod to say that Multus does not answer', saysWhy, { deadlineMs: 60_000 });
      await readiness.blames('multus');
    } finally {
      await worker().signalContainers('multus', 'SIGCONT');
    }
    await world.converges('after Multus went on');
    await readiness.isWell();
  });
});
