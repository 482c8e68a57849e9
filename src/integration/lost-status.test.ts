// Multus gives up writing network-status when it does not see the pod, and people remove annotations: a pod without one is not
// a pod without networks.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Ref, World } from './harness.ts';

const annotation = 'k8s.v1.cni.cncf.io/network-status';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  world.cluster.multus.podNetworks.seesPods = true;
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const statusText = (pod: Ref) => world.cluster.pod(pod).metadata.annotations?.[annotation];
const lose = (pod: Ref, text?: string): string | undefined => {
  const before = statusText(pod);
  world.cluster.objects.modify({ resource: 'pods', ...pod }, (draft) => {
    const { [annotation]: _, ...others } = draft.metadata.annotations ?? {};
    draft.metadata.annotations = { ...others, 'of/others': 'kept', ...(text !== undefined && { [annotation]: text }) };
  });
  return before;
};

describe('a running pod without network-status', () => {
  it.each([
    ['was never written', undefined],
    ['is empty', ' '],
  ])('is told of as Multus would have, and plugged: it %s', async (_, text) => {
    const pod = await world.pod('lost', 'blue,red@data0');
    const written = lose(pod, text);
    await world.cluster.until('restored', () => statusText(pod) === written);
    world.edit(pod, 'blue,red@data0,green@g0');
    await world.converged(pod, { net1: 'default/blue', data0: 'default/red', g0: 'default/green' });
    await world.cluster.until('told of', () => world.events(pod, 'RestoredStatus').length === 1);
    expect(world.cluster.multus.count({ ifname: 'net1' })).toBe(0);
  });

  it('has what was hot-plugged in its status again, and not what was unplugged', async () => {
    const pod = await world.pod('edited', 'blue,red@data0');
    world.edit(pod, 'blue,green@g0');
    await world.converged(pod, { net1: 'default/blue', g0: 'default/green' });
    const before = world.cluster.networkStatus(pod);
    lose(pod);
    await world.converged(pod, { net1: 'default/blue', g0: 'default/green' });
    expect(world.cluster.networkStatus(pod)).toEqual(before);
  });

  it('is plugged although it came with nothing', async () => {
    const pod = await world.pod('plain');
    lose(pod);
    world.edit(pod, 'blue@b0');
    await world.converged(pod, { b0: 'default/blue' });
    expect(world.cluster.networkStatus(pod)[0]).toMatchObject({ interface: 'eth0', default: true });
  });

  it('is left alone while it asks for no networks', async () => {
    const pod = await world.pod('quiet');
    lose(pod);
    const other = await world.pod('other');
    world.edit(other, 'blue@b0');
    await world.converged(other, { b0: 'default/blue' });
    expect(statusText(pod)).toBeUndefined();
  });

  it('is not touched, and says why, where Multus remembers nothing of it', async () => {
    const pod = await world.pod('forgotten', 'blue@b0');
    const { id = '' } = world.cluster.kubelet.findSandbox(pod) ?? {};
    const results = join(world.cluster.multusCacheDir, 'results');
    for (const file of readdirSync(results)) if (file.includes(id)) rmSync(join(results, file));
    const written = lose(pod);
    world.edit(pod, 'blue@b0,red@r0');
    await world.cluster.until('told of', () => world.condition(pod)?.reason === 'StatusUnreadable');
    expect(world.condition(pod)?.message).toMatch(/no network-status, and Multus remembers nothing of its sandbox/);
    expect(world.links(pod)).toEqual(['b0']);
    lose(pod, written);
    await world.converged(pod, { b0: 'default/blue', r0: 'default/red' });
  });
});

describe('a new sandbox of which Multus does not tell', () => {
  const told = (pod: Ref) => world.cluster.networkStatus(pod).map((entry) => [entry.interface, entry.mac, entry.ips]);
  const real = (pod: Ref) =>
    world.cluster.links(pod).map(({ name, mac, addresses }) => [name, mac, addresses.map((one) => one.split('/')[0])]);

  const plugged = async (name: string): Promise<Ref> => {
    const pod = await world.pod(name, 'blue@b0');
    world.edit(pod, 'blue@b0,red@r0');
    await world.converged(pod, { b0: 'default/blue', r0: 'default/red' });
    world.cluster.multus.podNetworks.seesPods = false;
    return pod;
  };

  it.each([
    ['while the agent runs', async () => {}, async () => {}],
    ['while no agent runs', () => world.stopAgent(), () => world.startAgent()],
  ])('is told of by the agent: %s', async (_, before, after) => {
    const pod = await plugged('replaced');
    const old = told(pod);
    await before();
    await world.cluster.kubelet.killSandbox(pod);
    await after();
    await world.cluster.until('two addresses for two interfaces', () => world.addresses().length === 2);
    await world.cluster.until('told of', () => JSON.stringify(told(pod)) === JSON.stringify(real(pod)));
    expect(told(pod)).not.toEqual(old);
    await world.cluster.until('an event', () => world.events(pod, 'RestoredStatus').length === 1);
    expect(world.events(pod, 'RestoredStatus')[0]).toMatch(/was that of another sandbox/);
    world.edit(pod, 'red@r0,green@g0');
    await world.converged(pod, { r0: 'default/red', g0: 'default/green' });
  });

  it('is told of as it is where the annotation was edited meanwhile', async () => {
    const pod = await plugged('edited');
    await world.stopAgent();
    world.edit(pod, 'red@r0,green@g0');
    await world.cluster.kubelet.killSandbox(pod);
    world.cluster.multus.forgetCalls();
    await world.startAgent();
    await world.converged(pod, { r0: 'default/red', g0: 'default/green' });
    await world.cluster.until('two addresses for two interfaces', () => world.addresses().length === 2);
    expect(world.cluster.multus.count({ command: 'ADD' }), 'Multus made them all').toBe(0);
  });
});
