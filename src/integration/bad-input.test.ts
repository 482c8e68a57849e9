import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bridge, World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

describe('an annotation that cannot be followed', () => {
  it.each([
    ['no JSON', '[{"name":"blue"', /not valid JSON/],
    ['a bad name', '[{"name":"Blue!"}]', /element 1: name "Blue!" is not/],
    [
      'an interface name that is too long',
      'blue@a0, red@abcdefghijklmnop',
      /element 2: interface "abcdefghijklmnop" is 16 bytes long/,
    ],
    ['a bad MAC', '[{"name":"blue","mac":"02:00"}]', /element 1: mac "02:00" is not a MAC address/],
    ['a bad CIDR', '[{"name":"blue","ips":["10.0.0.1/33"]}]', /element 1: ips has "10\.0\.0\.1\/33"/],
    ['one interface name twice', 'blue@x0, red@x0', /element 2: interface "x0" is already used by element 1/],
  ])(
    'changes nothing and says exactly what is wrong: %s; heals with the next good edit',
    async (_name, text, complaint) => {
      const pod = await world.pod('invalid', 'blue@a0');
      world.edit(pod, 'blue@a0, red@b0');
      await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
      world.cluster.multus.forgetCalls();
      world.edit(pod, text);
      await world.cluster.until('not ready', () => world.condition(pod)?.reason === 'InvalidNetworks');
      expect(world.condition(pod)?.message).toMatch(complaint);
      await world.cluster.until('a warning', () => world.events(pod, 'InvalidNetworks').length === 1);
      expect(world.events(pod, 'InvalidNetworks')[0]).toMatch(complaint);
      expect(world.cluster.multus.calls).toEqual([]);
      await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
      world.edit(pod, 'blue@a0');
      await world.converged(pod, { a0: 'default/blue' });
      await world.cluster.until('ready again', () => world.condition(pod)?.status === 'True');
    },
  );

  it('warns once of a network that does not exist, plugs the others, and plugs it when it is created', async () => {
    const pod = await world.pod('missing-nad');
    world.edit(pod, 'later@l0, blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    await world.cluster.until('reported', () => world.reports(pod).some(({ reason }) => reason === 'NetworkNotFound'));
    expect(world.reports(pod)).toMatchObject([
      { interface: 'l0', network: 'default/later', ready: false, reason: 'NetworkNotFound' },
      { interface: 'a0', ready: true },
    ]);
    world.cluster.createNad({ name: 'later', config: bridge('later', '10.10.9.0/24') });
    await world.converged(pod, { a0: 'default/blue', l0: 'default/later' });
    await world.cluster.until('told of', () => world.events(pod, 'NetworkNotFound').length > 0);
    expect(world.events(pod, 'NetworkNotFound')).toHaveLength(1);
    await world.cluster.until('ready', () => world.condition(pod)?.status === 'True');
  });

  it('names what is wrong with a network, and plugs it when the network is corrected', async () => {
    world.cluster.createNad({ name: 'broken', config: '{"type":' });
    const pod = await world.pod('broken-nad');
    world.edit(pod, 'broken@b0');
    await world.cluster.until('reported', () => world.reports(pod)[0]?.reason === 'InvalidNetworkConfig');
    expect(world.reports(pod)[0]?.message).toMatch(/default\/broken is not valid JSON/);
    world.cluster.objects.modify(
      { resource: 'network-attachment-definitions', namespace: 'default', name: 'broken' },
      (nad) => {
        nad.spec = { config: JSON.stringify(bridge('broken', '10.10.8.0/24')) };
      },
    );
    await world.converged(pod, { b0: 'default/broken' });
  });

  it('refuses a pod that uses the network of its node', async () => {
    const pod = await world.pod('host-network', undefined, { hostNetwork: true });
    world.edit(pod, 'blue@a0');
    await world.cluster.until('refused', () => world.condition(pod)?.reason === 'HostNetworkPod');
    await world.cluster.until('a warning', () => world.events(pod, 'HostNetworkPod').length === 1);
  });

  it('refuses an unnamed element on a launcher pod of KubeVirt, and plugs a named one', async () => {
    const pod = await world.pod('virt-launcher-vm', undefined, { labels: { 'kubevirt.io': 'virt-launcher' } });
    world.edit(pod, 'blue, red@pod16477688c0e');
    await world.converged(pod, { pod16477688c0e: 'default/red' });
    await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'InterfaceNameRequired');
    await world.cluster.until('told of', () => world.events(pod, 'InterfaceNameRequired').length > 0);
    expect(world.events(pod, 'InterfaceNameRequired')).toHaveLength(1);
  });

  it('never touches the default network, nor lets its name be taken', async () => {
    const pod = await world.pod('default-name');
    const before = world.cluster.networkStatus(pod)[0];
    world.edit(pod, 'blue@eth0, red@b0');
    await world.converged(pod, { b0: 'default/red' });
    await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'InterfaceNameTaken');
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.cluster.networkStatus(pod)).toEqual([before]);
  });

  it('changes nothing while network-status cannot be read, and goes on when it is restored', async () => {
    const pod = await world.pod('garbled', 'blue@a0');
    const ref = { resource: 'pods', ...pod };
    const annotation = 'k8s.v1.cni.cncf.io/network-status';
    const good = world.cluster.pod(pod).metadata.annotations?.[annotation] ?? '';
    const write = (text: string) =>
      world.cluster.objects.modify(ref, (draft) => {
        draft.metadata.annotations = { ...draft.metadata.annotations, [annotation]: text };
      });
    write('{"not": "a list"}');
    world.edit(pod, undefined);
    await world.cluster.until('refused', () => world.condition(pod)?.reason === 'StatusUnreadable');
    expect(world.links(pod)).toEqual(['a0']);
    write(good);
    await world.converged(pod, {});
  });

  it('refuses default-route, which cannot be given to a running pod', async () => {
    const pod = await world.pod('default-route');
    world.edit(pod, [{ name: 'blue', interface: 'a0', 'default-route': ['10.10.1.1'] }]);
    await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'NotHotPluggable');
    expect(world.links(pod)).toEqual([]);
  });
});
