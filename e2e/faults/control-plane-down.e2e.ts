// The API server is away for half a minute, and etcd loses its process: what was asked just before and just after is done.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { hasNodeAccess } from '../fixture.ts';
import { type Agents, makeAgents } from './agents.ts';
import { createNamespace, everywhere, type FaultWorld, startWorld } from './fault-world.ts';
import type { Interfaces } from './invariant.ts';

const podNames = ['a', 'b', 'c', 'd', 'e', 'f'];
const latePodNames = ['late-a', 'late-b'];
const outageMs = 30_000;
const deadlineMs = 60_000;
/** Who failed to watch several times in a row waits for a minute before the next try. */
const aftermathMs = 180_000;

let world: FaultWorld;
let agents: Agents;

const editAll = (interfaces: Interfaces): Promise<void> =>
  world.edit(Object.fromEntries(podNames.map((name) => [name, interfaces])));

const answers = (): Promise<true> =>
  pollUntil(
    'the API server to answer',
    async () => ((await world.kubectl.try(['get', '--raw', '/readyz'])).exitCode === 0 ? true : undefined),
    { deadlineMs },
  );

/** After an outage a kubelet may take more than a minute to look at its pods again; a fresh one looks at once. */
const restartKubelets = () => Promise.all(world.cluster.nodes.map((node) => node.killService('kubelet')));

const replaceSandbox = async (pod: string): Promise<void> => {
  const worker = world.cluster.node('worker');
  const newest = async () => (await worker.sandboxes(await world.uidOf(pod)))[0]?.id ?? '';
  const old = await newest();
  await worker.signalTask(old, 'SIGKILL');
  const isAnother = async () => ((await newest()) === old ? undefined : true);
  await pollUntil(`pod ${pod} to have another sandbox`, isAnother, { deadlineMs });
};

beforeAll(async () => {
  world = await startWorld({ name: 'control-plane', range: 64 });
  agents = makeAgents(world);
  await world.createPods(podNames, everywhere);
});
afterAll(async () => {
  await restartKubelets();
  await world.close();
  // Controllers and Multus, too, may take that long, and the next file needs them.
  const afterwards = `${world.namespace}-afterwards`;
  await createNamespace(world.kubectl, afterwards, aftermathMs);
  await world.kubectl.run(['delete', 'namespace', afterwards, '--wait=false']);
  const rollout = ['-n', 'kube-system', 'rollout'];
  await world.kubectl.run([...rollout, 'restart', 'daemonset/multus']);
  await world.kubectl.run([...rollout, 'status', 'daemonset/multus', `--timeout=${aftermathMs / 1000}s`]);
});

describe.skipIf(!hasNodeAccess)('the control plane', () => {
  it(`without its API server for ${outageMs / 1000} s: edits from just before and just after are done`, async () => {
    const node = world.cluster.node('control-plane');
    const readiness = await agents.readinessOn('worker');
    await editAll({ x0: 'local', y0: 'wide' });
    await node.stopService('kube-apiserver');
    try {
      // The length of the outage is the fault itself.
      await sleep(outageMs);
      const worker = world.cluster.node('worker');
      expect(await worker.signalContainers('agent', 'SIGCONT'), 'agents live through it').toBe(1);
      await readiness.blames('apiServer', 'networks');
    } finally {
      await node.startService('kube-apiserver');
    }
    await answers();
    await editAll({ y0: 'local', z0: 'local' });
    // Multus does not see its pods yet: it tells nothing of new ones, nor of the new sandbox of an old one.
    await restartKubelets();
    await Promise.all([replaceSandbox('a'), world.createPods(latePodNames, everywhere)]);
    await world.edit(Object.fromEntries(latePodNames.map((name) => [name, { x0: 'wide' }])));
    await world.converges('after the outage');
    await agents.areReady();
  });

  it('with etcd killed twice while networks change', async () => {
    const node = world.cluster.node('control-plane');
    for (const interfaces of [{ x0: 'local' }, { x0: 'wide', z0: 'local' }]) {
      await editAll(interfaces);
      await node.killService('etcd');
      await answers();
    }
    await world.converges('after etcd was killed');
  });
});
