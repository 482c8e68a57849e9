// Gate NodeNetwork on the embedded cluster, with the real agent and the real controller: `nodeNetwork: {}` of a machine gives its
// launcher pod the network of the node that it is on. KubeVirt's schema drops the field, so it is asked for in an annotation.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashedName } from '../../vm/interface-names.ts';
import { bridge, masquerade, multus, podNetwork, specObject } from '../../vm/test-machines.ts';
import { MachineWorld, on } from './machine-world.ts';

const KEY = 'dynamic-networks.io/networks';
const lanOf = (more: object = {}): string => JSON.stringify([{ name: 'lan', nodeNetwork: {}, ...more }]);
const LAN = hashedName('lan');
const BLUE = hashedName('blue');

let world: MachineWorld;
/** The node's 192.168.1.10/24 is on br0. */
const startWorld = async (...gates: string[]): Promise<void> => {
  world = await MachineWorld.start(gates, { cluster: { hostLinks: ['eth0', 'br0'] } });
  const directory = join(world.world.cluster.dir, 'host-net');
  mkdirSync(directory);
  mkdirSync(join(world.world.cluster.dir, 'networks'));
  const route = ['br0', '0001A8C0', '00000000', '0001', '0', '0', '0', '00FFFFFF', '0', '0', '0'].join('\t');
  writeFileSync(join(directory, 'route'), `Iface\tDestination\n${route}\n`);
  const leaves = ['  |-- 192.168.1.10', '     /32 host LOCAL', '  |-- 192.168.1.255', '     /32 link BROADCAST'];
  writeFileSync(join(directory, 'fib_trie'), `Main:\n${leaves.join('\n')}\n`);
  world.world.cluster.createNad({ name: 'node-network', config: '' });
};
const until: MachineWorld['world']['cluster']['until'] = (...args) => world.world.cluster.until(...args);
const settle = (name: string, wanted: Readonly<Record<string, string>>) =>
  world.world.converged(world.pod(name), wanted);
const cleaned = async () => {
  expect(world.world.cluster.leaks()).toEqual([]);
  await world.clean();
};

describe('with the gate alone, as beside a KubeVirt that plugs by itself', () => {
  beforeAll(() => startWorld('NodeNetwork'));
  afterEach(cleaned);
  afterAll(() => world.stop());

  it('a machine that is annotated gets the node’s network, with its MAC address, and loses it with the annotation', async () => {
    await world.run('vm-a', on('blue'));
    world.annotateVm('vm-a', KEY, lanOf({ macAddress: '02:00:00:00:00:41' }));
    await settle('vm-a', { [BLUE]: 'default/blue', [LAN]: 'default/node-network' });
    expect(await world.world.recordedConfig(world.pod('vm-a'), LAN)).toMatchObject({ type: 'macvlan', master: 'br0' });
    const link = world.world.cluster.links(world.pod('vm-a')).find(({ name }) => name === LAN);
    expect(link?.mac).toBe('02:00:00:00:00:41');
    world.annotateVm('vm-a', KEY, '');
    await settle('vm-a', { [BLUE]: 'default/blue' });
  });

  it('an instance without a VirtualMachine is asked by its own annotation; that of the VirtualMachine counts first', async () => {
    await world.runInstance('bare', on());
    world.editVmi('bare', (draft) => {
      draft.metadata.annotations = { [KEY]: lanOf() };
    });
    await settle('bare', { [LAN]: 'default/node-network' });
    await world.run('vm-b', on());
    world.editVmi('vm-b', (draft) => {
      draft.metadata.annotations = { [KEY]: lanOf() };
    });
    await settle('vm-b', { [LAN]: 'default/node-network' });
    world.annotateVm('vm-b', KEY, JSON.stringify([{ name: 'two', nodeNetwork: {} }]));
    await settle('vm-b', { [hashedName('two')]: 'default/node-network' });
  });

  it('the source in the spec does the same where the schema has it, and absent takes it away', async () => {
    const specOf = (more: object) =>
      specObject([podNetwork, { name: 'lan', nodeNetwork: {} }], [masquerade, bridge('lan', more)]);
    await world.run('vm-c', specOf({}));
    await settle('vm-c', { [LAN]: 'default/node-network' });
    world.editVmi('vm-c', (draft) => {
      draft.spec = { ...specOf({ state: 'absent' }) };
    });
    await settle('vm-c', {});
  });

  it('KubeVirt’s rewriting of the annotation does not lose it', async () => {
    await world.run('vm-d', on());
    world.annotateVm('vm-d', KEY, lanOf());
    await settle('vm-d', { [LAN]: 'default/node-network' });
    const text = `[{"name":"blue","namespace":"default","interface":"${BLUE}"}]`;
    world.objects.modify({ resource: 'pods', ...world.pod('vm-d') }, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, 'k8s.v1.cni.cncf.io/networks': text };
    });
    await settle('vm-d', { [BLUE]: 'default/blue', [LAN]: 'default/node-network' });
  });

  it('what cannot be read changes nothing, is told once, and heals', async () => {
    await world.run('vm-e', on());
    world.annotateVm('vm-e', KEY, lanOf());
    await settle('vm-e', { [LAN]: 'default/node-network' });
    world.annotateVm('vm-e', KEY, '[{"name":"lan","nodeNetwork":{"master":"eth0"}}]');
    const [message] = await until('people are told', () => {
      const messages = world.events('vm-e', 'InvalidNodeNetworks');
      return messages.length > 0 && messages;
    });
    expect(message).toContain('must have the source "nodeNetwork": {}');
    // What is written is written before it is told.
    expect(world.asked('vm-e')).toEqual([LAN]);
    world.annotateVm('vm-e', KEY, '');
    await settle('vm-e', {});
    expect(world.events('vm-e', 'InvalidNodeNetworks')).toHaveLength(1);
  });

  it('a refusal of the API server is told, leaves the rest alone, and heals without a change of the machine', async () => {
    const refusal = world.world.cluster.api.faults.fail(403, {
      ...{ verb: 'patch', resource: 'pods', subresource: '' },
      message: 'may not use network default/node-network',
    });
    await world.run('vm-f', on('blue'));
    world.annotateVm('vm-f', KEY, lanOf());
    const [message] = await until('people are told', () => {
      const messages = world.events('vm-f', 'NetworkForbidden');
      return messages.length > 0 && messages;
    });
    expect(message).toContain('may not use network default/node-network');
    // Nothing changes meanwhile, and still it is tried: a right that is given cannot be seen.
    await until('it is tried again', () => refusal.hits >= 5);
    refusal.off();
    await settle('vm-f', { [BLUE]: 'default/blue', [LAN]: 'default/node-network' });
  });

  it('nothing is written when nothing changes', async () => {
    await world.run('vm-g', on('blue'));
    world.annotateVm('vm-g', KEY, lanOf());
    await settle('vm-g', { [BLUE]: 'default/blue', [LAN]: 'default/node-network' });
    const ofController = () => world.patches().filter((patch) => patch.startsWith('pods virt-launcher-vm-g')).length;
    const before = ofController();
    world.annotateVm('vm-g', 'other', 'x');
    world.annotateVm('vm-g', KEY, lanOf({ macAddress: '' }));
    await world.run('later', on());
    world.annotateVm('later', KEY, lanOf());
    await settle('later', { [LAN]: 'default/node-network' });
    expect(ofController()).toBe(before);
  });
});

describe('beside our own hot-plug', () => {
  beforeAll(() => startWorld('NodeNetwork', 'HotplugNICs'));
  afterEach(cleaned);
  afterAll(() => world.stop());

  it('plugging and unplugging other networks leaves it where it is', async () => {
    await world.run('vm-h', on());
    world.annotateVm('vm-h', KEY, lanOf());
    await settle('vm-h', { [LAN]: 'default/node-network' });
    const macOf = () => world.world.cluster.links(world.pod('vm-h')).find(({ name }) => name === LAN)?.mac;
    const mac = macOf();
    world.setTemplate('vm-h', on('blue'));
    await settle('vm-h', { [BLUE]: 'default/blue', [LAN]: 'default/node-network' });
    const absent = specObject([podNetwork, multus('blue', 'blue')], [masquerade, bridge('blue', { state: 'absent' })]);
    world.setTemplate('vm-h', absent);
    await settle('vm-h', { [LAN]: 'default/node-network' });
    expect(macOf()).toBe(mac);
  });

  it('a source in the template is plugged like any other network, and told of', async () => {
    await world.run('vm-i', on());
    const specOf = (more: object) =>
      specObject([podNetwork, { name: 'lan', nodeNetwork: {} }], [masquerade, bridge('lan', more)]);
    world.setTemplate('vm-i', specOf({}));
    await world.plugged('vm-i', 'lan');
    await settle('vm-i', { [LAN]: 'default/node-network' });
    await until('it is ready', () => world.ready('vm-i')['lan']?.ready);
    world.setTemplate('vm-i', specOf({ state: 'absent' }));
    await world.plugged('vm-i');
    await settle('vm-i', {});
  });
});

describe('without the gate', () => {
  beforeAll(() => startWorld('HotplugNICs'));
  afterEach(cleaned);
  afterAll(() => world.stop());

  it('machines do not get it, and are told which gate is off', async () => {
    await world.run('vm-j', on());
    world.annotateVm('vm-j', KEY, lanOf());
    world.setTemplate('vm-j', on('blue'));
    await settle('vm-j', { [BLUE]: 'default/blue' });
    const [message] = await until('people are told', () => {
      const messages = world.events('vm-j', 'NotHotPluggable');
      return messages.length > 0 && messages;
    });
    expect(message).toContain('turn the gate NodeNetwork on');
  });
});
