// The doctor with a real agent, asked through the API server.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { World } from '../harness.ts';
import { installAgents, installController } from './installed.ts';
import { longestLine, runDnet } from './run-dnet.ts';

let world: World;
let mayAgentPatch = true;
beforeAll(async () => {
  world = await World.start({
    cluster: {
      api: {
        decideAccess: ({ spec }) => {
          const asked = spec['resourceAttributes'];
          return { allowed: mayAgentPatch || !JSON.stringify(asked).includes('"patch"') };
        },
      },
    },
  });
  installAgents(world);
  world.cluster.api.podEndpoints.set(world.cluster.agentPod, { port: world.agent.telemetryPort });
});
afterEach(() => world.clean());
afterAll(() => world.stop());

const doctor = async (...args: string[]) => await runDnet(world, ['doctor', ...args]);

it('finds nothing on a cluster that is well', async () => {
  const pod = await world.pod('web');
  world.edit(pod, 'blue@b0');
  await world.converged(pod, { b0: 'default/blue' });
  const said = await doctor();
  expect(said.code).toBe(0);
  expect(said.out).toContain('ok    API server: v1.34.0+embedded\n');
  expect(said.out).toContain('ok    agents: 1 of 1 ready\n');
  expect(said.out).toContain('Multus socket, CRI socket: fine on 1 of 1\n');
  expect(said.out).toContain('ok    rights of the agents: all there\n');
  expect(said.out).toContain('ok    ledger: 1 hot-plugged interfaces, none of a pod that is gone\n');
  expect(said.out).toContain('ok    interfaces: 1, none reported as not ready\n');
  expect(said.out).not.toContain('FAIL');
  expect(longestLine(said.out)).toBeLessThanOrEqual(100);
});

it('says nothing of replicas that a roll-out or an eviction took away', async () => {
  const { objects } = world.cluster;
  installController(world, []);
  const addPod = (name: string, phase: string) => {
    const labels = { 'app.kubernetes.io/name': 'dynamic-networks', 'app.kubernetes.io/component': 'controller' };
    const containers = [{ name: 'controller', image: 'localhost/dynamic-networks:0.0.9' }];
    objects.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'dynamic-networks', name, labels },
      spec: { nodeName: 'node-elsewhere', containers },
      status: { phase },
    });
    return { resource: 'pods', namespace: 'dynamic-networks', name };
  };
  const [evicted, replaced] = [addPod('evicted', 'Failed'), addPod('replaced', 'Running')];
  objects.remove(replaced);
  try {
    const { code, out } = await doctor();
    expect(out).toContain('ok    controller: 2 of 2 ready\n');
    expect(out).not.toMatch(/FAIL|evicted|replaced|0\.0\.9/);
    expect(code).toBe(0);
  } finally {
    for (const pod of [evicted, replaced]) objects.remove(pod, { gracePeriodSeconds: 0 });
  }
});

it('tells an address of host-local whose sandbox is gone, and none of a sandbox that exists', async () => {
  const pod = await world.pod('web');
  const directory = join(world.cluster.dir, 'host-local', 'blue');
  const reserve = (address: string, containerId: string) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, address), `${containerId}\r\nnet1`);
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(join(directory, address), anHourAgo, anHourAgo);
  };
  try {
    reserve('10.10.1.50', world.cluster.kubelet.findSandbox(pod)?.id ?? '');
    expect((await doctor()).out).toContain('ok    host-local addresses: 1 given out, all to sandboxes that exist\n');
    reserve('10.10.1.51', 'gone');
    const { out } = await doctor();
    expect(out).toContain('warn  host-local addresses: 1 given out to sandboxes that do not exist: 10.10.1.51 of blue');
    expect(out).toContain('/var/lib/cni/networks/NETWORK/ADDRESS');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('fails with the remedy when Multus is down, a right is missing, and something cannot be released', async () => {
  const pod = await world.pod('web');
  world.edit(pod, 'blue@b0');
  await world.converged(pod, { b0: 'default/blue' });
  mayAgentPatch = false;
  await world.cluster.multus.down();
  await world.cluster.deletePod(pod, { force: true });
  try {
    const said = await expectEventually(async () => {
      const once = await doctor();
      expect(once.out).toContain('b0 on default/blue of default/web, which is gone, is not released yet');
      expect(once.out).toContain('FAIL  Multus socket: node node-a:');
      return once;
    });
    expect(said.code).toBe(1);
    expect(said.out).toContain('patch pods/status, patch events\n');
    expect(said.out).toContain('      -> apply deploy/rbac.yaml again\n');
    const { items } = JSON.parse((await doctor('-o', 'json')).out);
    expect(items.filter(({ level }: { level: string }) => level === 'failure').length).toBe(2);
  } finally {
    mayAgentPatch = true;
    await world.cluster.multus.up();
  }
});

/** The agent remembers the health of its parts for three seconds. */
const expectEventually = async <T>(check: () => Promise<T>): Promise<T> => {
  let result: T | undefined;
  await expect
    .poll(
      async () => {
        result = await check().catch(() => undefined);
        return result !== undefined;
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  if (result === undefined) throw new Error('unreachable');
  return result;
};

it('says that it is not installed where it is not', async () => {
  world.cluster.objects.remove({
    resource: 'daemonsets',
    namespace: 'dynamic-networks',
    name: 'dynamic-networks-agent',
  });
  const said = await doctor();
  expect(said.code).toBe(1);
  expect(said.out).toContain('FAIL  agents: no DaemonSet of the agents was found\n');
});
