import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

describe.each([
  ["Multus' standard configuration, where CHECK is not supported", '0.3.1'],
  ['a CNI version that knows CHECK', '1.0.0'],
])('an interface that somebody removed in the network namespace, with %s', (_name, multusCniVersion) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ cluster: { multusCniVersion }, flags: { checkInterval: '400ms' } });
  });
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  const netnsOf = (name: string) => world.cluster.kubelet.findSandbox({ namespace: 'default', name })?.netns ?? '';

  it('is found, repaired and told of, whether it was hot-plugged or came with the pod', async () => {
    const pod = await world.pod('drifting', 'red@b0');
    world.edit(pod, 'red@b0, blue@a0, green@c0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    const healthy = world.cluster.links(pod).find(({ name }) => name === 'c0');
    world.cluster.kernel.removeLink(netnsOf(pod.name), 'a0');
    world.cluster.kernel.removeLink(netnsOf(pod.name), 'b0');
    await world.cluster.until('they are back', () => world.links(pod).length === 3);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    await world.cluster.until('told of', () => world.events(pod, 'RepairedInterface').length > 0);
    expect(world.cluster.links(pod)).toContainEqual(healthy);
    expect(world.addresses()).toHaveLength(3);
  });

  it('is not invented: healthy interfaces, also of a conflist, are never replaced', async () => {
    world.cluster.createNad({
      name: 'chain',
      config: {
        cniVersion: '1.0.0',
        name: 'chain',
        plugins: [
          { type: 'bridge', ipam: { type: 'host-local', ranges: [[{ subnet: '10.79.0.0/24' }]] } },
          { type: 'tuning' },
        ],
      },
    });
    const pod = await world.pod('healthy', 'blue@a0');
    world.edit(pod, 'blue@a0, chain@c0');
    await world.converged(pod, { a0: 'default/blue', c0: 'default/chain' });
    const before = world.cluster.links(pod);
    world.cluster.multus.forgetCalls();
    await world.cluster.until(
      'both were looked at three times',
      () => world.cluster.multus.count({ command: 'CHECK', ifname: 'c0' }) >= 3,
    );
    expect(world.cluster.links(pod)).toEqual(before);
    expect(world.cluster.multus.count({ command: 'DEL' })).toBe(0);
  });
});
