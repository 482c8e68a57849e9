import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  expect(world.cluster.leaks()).toEqual([]);
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const element = (name: string, iface?: string, more: object = {}) => ({
  name,
  ...(iface && { interface: iface }),
  ...more,
});

describe('an edit of the networks annotation', () => {
  it('plugs an element in the JSON form and unplugs it again, address included', async () => {
    const pod = await world.pod('json-form');
    world.edit(pod, [element('blue', 'data0')]);
    await world.converged(pod, { data0: 'default/blue' });
    expect(world.addresses()).toHaveLength(1);
    world.edit(pod, []);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
  });

  it('plugs the short form, and takes both forms in turn without touching what stays', async () => {
    const pod = await world.pod('both-forms');
    world.edit(pod, 'default/blue@a0, red@b0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    const before = world.cluster.links(pod);
    world.edit(pod, [element('blue', 'a0'), element('red', 'b0'), element('green', 'c0')]);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    expect(world.cluster.links(pod)).toEqual(expect.arrayContaining(before));
    world.edit(pod, 'red@b0');
    await world.converged(pod, { b0: 'default/red' });
    expect(world.cluster.links(pod)).toContainEqual(before.find(({ name }) => name === 'b0'));
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });

  it.each([
    ['the annotation is removed', undefined],
    ['the annotation is empty', ''],
    ['the annotation is blank', '  '],
    ['the list is empty', '[]'],
  ])('unplugs everything when %s, also what came with the pod', async (_name, text) => {
    const pod = await world.pod('emptied', 'blue');
    await world.converged(pod, { net1: 'default/blue' });
    world.edit(pod, 'blue, red@b0');
    await world.converged(pod, { net1: 'default/blue', b0: 'default/red' });
    world.edit(pod, text);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
  });

  it('calls unnamed elements as Multus does, keeps them when the list is reordered, and gives new ones the lowest free name', async () => {
    const pod = await world.pod('unnamed', 'blue, red');
    await world.converged(pod, { net1: 'default/blue', net2: 'default/red' });
    const before = world.cluster.links(pod);
    world.edit(pod, 'red, blue, green');
    await world.converged(pod, { net1: 'default/blue', net2: 'default/red', net3: 'default/green' });
    expect(world.cluster.links(pod)).toEqual(expect.arrayContaining(before));
    world.edit(pod, 'green, red');
    await world.converged(pod, { net2: 'default/red', net3: 'default/green' });
    world.edit(pod, 'green, red, blue');
    await world.converged(pod, { net1: 'default/blue', net2: 'default/red', net3: 'default/green' });
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });

  it('attaches one network several times, each interface on its own', async () => {
    const pod = await world.pod('several');
    world.edit(pod, 'blue@a0, blue@a1, blue');
    await world.converged(pod, { a0: 'default/blue', a1: 'default/blue', net1: 'default/blue' });
    expect(world.addresses()).toHaveLength(3);
    world.edit(pod, 'blue@a1');
    await world.converged(pod, { a1: 'default/blue' });
    expect(world.addresses()).toHaveLength(1);
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });

  it('moves an interface name to another network: the old one goes before the new one comes', async () => {
    const pod = await world.pod('moved');
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    world.cluster.multus.forgetCalls();
    world.edit(pod, 'red@a0');
    await world.converged(pod, { a0: 'default/red' });
    expect(world.cluster.multus.calls.map(({ command }) => command)).toEqual(['DEL', 'ADD']);
    await world.cluster.until('told of', () => world.events(pod, 'ReplacedInterface').length > 0);
    expect(world.events(pod, 'ReplacedInterface')).toHaveLength(1);
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });

  it('removes in reverse of the reported order and adds in annotation order', async () => {
    const pod = await world.pod('order');
    world.cluster.multus.forgetCalls();
    world.edit(pod, 'green@c0, blue@a0, red@b0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    expect(world.cluster.multus.calls.map(({ ifname }) => ifname)).toEqual(['c0', 'a0', 'b0']);
    expect(world.cluster.networkStatus(pod).map((entry) => entry.interface)).toEqual(['eth0', 'c0', 'a0', 'b0']);
    world.cluster.multus.forgetCalls();
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.cluster.multus.calls.map(({ ifname }) => ifname)).toEqual(['b0', 'a0', 'c0']);
  });

  it('replaces a hot-plugged interface once when its mac, ips or cni-args change, and not when only the spelling does', async () => {
    const pod = await world.pod('changed');
    world.edit(pod, [element('blue', 'a0', { mac: '02:00:00:00:00:01' })]);
    await world.cluster.until('the mac is set', () =>
      world.cluster.links(pod).some(({ mac }) => mac === '02:00:00:00:00:01'),
    );
    await world.converged(pod, { a0: 'default/blue' });
    world.cluster.multus.forgetCalls();
    world.edit(pod, [element('blue', 'a0', { mac: '02:00:00:00:00:02' })]);
    await world.cluster.until('the new mac is set', () =>
      world.cluster.links(pod).some(({ mac }) => mac === '02:00:00:00:00:02'),
    );
    await world.cluster.until('one event', () => world.events(pod, 'ReplacedInterface').length === 1);
    world.edit(pod, [element('blue', 'a0', { namespace: 'default', mac: '02:00:00:00:00:02' })]);
    world.edit(pod, [element('blue', 'a0', { mac: '02:00:00:00:00:02' }), element('red', 'b0')]);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    const commands = world.cluster.multus.calls.map(({ command, ifname }) => `${command} ${ifname}`);
    expect(commands).toEqual(['DEL a0', 'ADD a0', 'ADD b0']);
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });

  it('warns, and changes nothing, when the mac of an interface changes that came with the pod', async () => {
    const pod = await world.pod('creation-changed', [element('blue', 'a0', { mac: '02:00:00:00:00:01' })]);
    world.cluster.multus.forgetCalls();
    world.edit(pod, [element('blue', 'a0', { mac: '02:00:00:00:00:99' })]);
    await world.cluster.until('a warning', () => world.events(pod, 'AttributesChanged').length === 1);
    expect(world.cluster.multus.calls).toEqual([]);
    await world.cluster.until('the report tells', () => world.reports(pod)[0]?.reason === 'AttributesChanged');
    expect(world.reports(pod)).toMatchObject([{ interface: 'a0', ready: true }]);
  });

  it('releases what came with the pod with the config it was made with, even when the network changed or is gone', async () => {
    world.cluster.createNad({
      name: 'fleeting',
      config: {
        cniVersion: '0.3.1',
        name: 'fleeting-v1',
        type: 'bridge',
        ipam: { type: 'host-local', ranges: [[{ subnet: '10.77.0.0/24' }]] },
      },
    });
    const pod = await world.pod('nad-gone', 'fleeting@f0');
    await world.converged(pod, { f0: 'default/fleeting' });
    world.cluster.objects.remove({
      resource: 'network-attachment-definitions',
      namespace: 'default',
      name: 'fleeting',
    });
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
  });

  it('releases what was hot-plugged with the config it was made with, even when the network changed', async () => {
    const config = (name: string) => ({
      cniVersion: '0.3.1',
      name,
      type: 'bridge',
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.78.0.0/24' }]] },
    });
    world.cluster.createNad({ name: 'changing', config: config('changing-v1') });
    const pod = await world.pod('nad-changed');
    world.edit(pod, 'changing@f0');
    await world.converged(pod, { f0: 'default/changing' });
    world.cluster.objects.modify(
      { resource: 'network-attachment-definitions', namespace: 'default', name: 'changing' },
      (nad) => {
        nad.spec = { config: JSON.stringify(config('changing-v2')) };
      },
    );
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
  });

  it('plugs conflists, static addresses, and networks whose config lacks a name', async () => {
    world.cluster.createNad({
      name: 'chain',
      config: {
        cniVersion: '0.3.1',
        name: 'chain',
        plugins: [{ type: 'bridge', ipam: { type: 'static' }, capabilities: { ips: true } }, { type: 'tuning' }],
      },
    });
    world.cluster.createNad({
      name: 'nameless',
      config: {
        cniVersion: '0.3.1',
        type: 'bridge',
        ipam: { type: 'host-local', ranges: [[{ subnet: '10.79.0.0/24' }]] },
      },
    });
    const pod = await world.pod('shapes');
    world.edit(pod, [element('chain', 'c0', { ips: ['192.0.2.7/24'] }), element('nameless', 'n0')]);
    await world.converged(pod, { c0: 'default/chain', n0: 'default/nameless' });
    expect(world.cluster.networkStatus(pod).find((entry) => entry.interface === 'c0')?.ips).toEqual(['192.0.2.7']);
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });
});

describe('what people and programs see', () => {
  it('says per interface that it is ready, in the condition too, and tells of the change once', async () => {
    const pod = await world.pod('seen', undefined, { readinessGates: ['dynamic-networks.io/NetworksReady'] });
    await world.cluster.until('ready without networks', () => world.condition(pod)?.status === 'True');
    world.edit(pod, 'blue@a0, red@b0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    await world.cluster.until('both ready', () => world.reports(pod).length === 2);
    expect(world.reports(pod)).toEqual([
      { interface: 'a0', network: 'default/blue', ready: true, since: expect.stringMatching(/^\d{4}-/) },
      { interface: 'b0', network: 'default/red', ready: true, since: expect.stringMatching(/^\d{4}-/) },
    ]);
    expect(world.condition(pod)).toMatchObject({ status: 'True', reason: 'AllReady' });
    await world.cluster.until('an event', () => world.events(pod, 'AddedInterface').length === 1);
    expect(world.events(pod, 'AddedInterface')[0]).toMatch(
      /^a0 on default\/blue with 10\.10\.1\.\d+; b0 on default\/red with 10\.10\.2\.\d+$/,
    );
  });

  it('makes one CRI call for all cold pods of a burst, none for a warm one, one Multus call and two API calls per plug', async () => {
    const cold = [await world.pod('cold-1'), await world.pod('cold-2'), await world.pod('cold-3')];
    const plug = async (pods: typeof cold, networks: string, expected: Record<string, string>, events: number) => {
      world.cluster.cri.forgetCalls();
      world.cluster.multus.forgetCalls();
      world.cluster.api.calls.reset();
      for (const pod of pods) world.edit(pod, networks);
      for (const pod of pods) await world.converged(pod, expected);
      const areTold = () => pods.every((pod) => world.events(pod, 'AddedInterface').length === events);
      await world.cluster.until('their events', areTold);
      return {
        cri: world.cluster.cri.count(),
        multus: world.cluster.multus.count(),
        api: world.cluster.api.calls.counts(),
      };
    };
    expect(await plug(cold, 'blue@a0', { a0: 'default/blue' }, 1)).toEqual({
      cri: 1,
      multus: 3,
      api: { 'patch pods': 3, 'create events': 3 },
    });
    expect(await plug(cold.slice(0, 1), 'blue@a0,red@b0', { a0: 'default/blue', b0: 'default/red' }, 2)).toEqual({
      cri: 0,
      multus: 1,
      api: { 'patch pods': 1, 'create events': 1 },
    });
  });

  it('makes no call at all for an edit that asks for what is there', async () => {
    const pod = await world.pod('no-op', 'blue@a0');
    await world.cluster.until('reported', () => world.reports(pod).length === 1);
    world.cluster.api.calls.reset();
    world.cluster.multus.forgetCalls();
    world.edit(pod, [element('blue', 'a0', { namespace: 'default' })]);
    const other = await world.pod('no-op-2');
    world.edit(other, 'red@b0');
    await world.converged(other, { b0: 'default/red' });
    expect(world.cluster.api.calls.matching({ resource: 'pods', name: 'no-op', verb: ['patch', 'get'] })).toEqual([]);
    expect(world.cluster.multus.calls.map(({ ifname }) => ifname)).toEqual(['b0']);
  });
});
