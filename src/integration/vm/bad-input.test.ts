// What machines can get wrong, and what others can do to them: an event with the remedy, nothing lost, other machines unaffected.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bridge, masquerade, multus, podNetwork, specObject } from '../../vm/test-machines.ts';
import { MachineWorld, on } from './machine-world.ts';

let world: MachineWorld;
beforeAll(async () => {
  world = await MachineWorld.start(['HotplugNICs', 'PodInterfaceName', 'DeviceMap']);
});
afterEach(async () => {
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const BLUE = 'pod16477688c0e';
const TWINS = ['net-1377h', 'net-2vdnt'] as const;
const told = (name: string, reason: string, text: RegExp) =>
  world.world.cluster.until(`${name} is told ${reason}`, () =>
    world.events(name, reason).some((message) => text.test(message)),
  );

/** Another machine is plugged as if nothing were wrong. */
const othersWork = async (name: string): Promise<void> => {
  await world.run(name, on());
  world.setTemplate(name, on('red'));
  await world.plugged(name, 'red');
};

it('two networks of a template with one name: the machine keeps what it has', async () => {
  await world.run('twice', on('blue'));
  await world.plugged('twice', 'blue');
  world.setTemplate(
    'twice',
    specObject([podNetwork, multus('blue', 'blue'), multus('blue', 'red')], [masquerade, bridge('blue')]),
  );
  await told('twice', 'InvalidInterfaces', /"blue" twice; give each its own name/);
  await othersWork('other-1');
  expect(world.interfaces('twice')['blue']).toMatchObject({ infoSource: 'multus-status' });
  expect(world.asked('twice')).toEqual([BLUE]);
  world.setTemplate('twice', on('blue', 'green'));
  await world.plugged('twice', 'blue', 'green');
});

it('two networks of a running machine with one name: nothing of it is changed until it is mended', async () => {
  await world.run('mixed', on('blue'));
  await world.plugged('mixed', 'blue');
  const good = structuredClone(world.vmi('mixed').spec);
  world.editVmi('mixed', (draft) => {
    draft.spec = {
      ...draft.spec,
      ...specObject([podNetwork, multus('blue', 'blue'), multus('blue', 'red')], [masquerade, bridge('blue')]),
    };
  });
  await told('mixed', 'InvalidInterfaces', /twice/);
  await othersWork('other-2');
  expect(world.world.links(world.pod('mixed'))).toEqual([BLUE]);
  world.editVmi('mixed', (draft) => {
    if (good !== undefined) draft.spec = good;
  });
  world.setTemplate('mixed', on('blue', 'green'));
  await world.plugged('mixed', 'blue', 'green');
});

it('a network whose name collides after hashing is refused; what is there stays', async () => {
  await world.run('twins', specObject([podNetwork, multus(TWINS[0], 'blue')], [masquerade, bridge(TWINS[0])]));
  await world.plugged('twins', TWINS[0]);
  const [before] = world.asked('twins');
  world.setTemplate(
    'twins',
    specObject(
      [podNetwork, multus(TWINS[0], 'blue'), multus(TWINS[1], 'red')],
      [masquerade, bridge(TWINS[0]), bridge(TWINS[1])],
    ),
  );
  await told('twins', 'InterfaceNameCollision', /net-2vdnt.*rename/);
  await othersWork('other-3');
  expect(world.asked('twins')).toEqual([before]);
  expect(world.ready('twins')).toMatchObject({
    [TWINS[0]]: { ready: true },
    [TWINS[1]]: { ready: false, reason: 'InterfaceNameCollision' },
  });
});

it('a running machine with colliding names from elsewhere: nothing of it is changed', async () => {
  await world.runInstance(
    'clash',
    specObject(
      [podNetwork, multus(TWINS[0], 'blue'), multus(TWINS[1], 'red')],
      [masquerade, bridge(TWINS[0]), bridge(TWINS[1])],
    ),
    {
      podNetworks: undefined,
    },
  );
  await told('clash', 'InterfaceNameCollision', /rename one of them/);
  await othersWork('other-4');
  expect(world.asked('clash')).toEqual([]);
});

it('a network that does not exist: the agent’s reason reaches the machine', async () => {
  await world.run('nowhere', on());
  world.setTemplate('nowhere', on('missing'));
  await told('nowhere', 'NetworkNotFound', /create it/);
  await othersWork('other-5');
  expect(world.ready('nowhere')['missing']).toMatchObject({ ready: false, reason: 'NetworkNotFound' });
});

it('a launcher pod that lost all its annotations: people are told, and the machine keeps its status', async () => {
  await world.run('bare', on('blue'));
  await world.plugged('bare', 'blue');
  const before = world.interfaces('bare');
  world.objects.modify({ resource: 'pods', ...world.pod('bare') }, (draft) => {
    delete draft.metadata.annotations;
  });
  await told('bare', 'StatusUnreadable', /has no network-status; check that Multus runs/);
  await othersWork('other-6');
  expect(world.interfaces('bare')).toEqual(before);
  expect(world.world.links(world.pod('bare'))).toEqual([BLUE]);
});

it('a network-status written half-way: people are told, nothing is derived from it, and it heals', async () => {
  await world.run('half', on('blue'));
  await world.plugged('half', 'blue');
  const status = 'k8s.v1.cni.cncf.io/network-status';
  const good = world.podAnnotation('half', status) ?? '';
  const write = (text: string) =>
    world.objects.modify({ resource: 'pods', ...world.pod('half') }, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [status]: text };
    });
  write(good.slice(0, good.length / 2));
  await told('half', 'StatusUnreadable', /not valid JSON/);
  expect(world.interfaces('half')['blue']).toMatchObject({ infoSource: 'multus-status' });
  world.setTemplate('half', on('blue', 'red'));
  await othersWork('other-7');
  expect(world.asked('half')).toEqual([BLUE]);
  write(good);
  await world.plugged('half', 'blue', 'red');
});

it('a status written half-way by another program is completed, and one that is no list is left to its author', async () => {
  await world.run('status', on('blue'));
  await world.plugged('status', 'blue');
  world.editVmi('status', (draft) => {
    draft.status = {
      ...draft.status,
      interfaces: [
        { name: 'blue', infoSource: 'domain', mac: '02:00:00:00:00:55' },
        { infoSource: 'guest-agent', interfaceName: 'docker0' },
      ],
    };
  });
  await world.plugged('status', 'blue');
  expect(world.interfaces('status')).toEqual({
    default: { name: 'default', podInterfaceName: 'eth0' },
    blue: { name: 'blue', infoSource: 'domain, multus-status', mac: '02:00:00:00:00:55', podInterfaceName: BLUE },
    '': { infoSource: 'guest-agent', interfaceName: 'docker0' },
  });
  world.editVmi('status', (draft) => {
    draft.status = { ...draft.status, interfaces: { blue: true } };
  });
  await told('status', 'StatusUnreadable', /no list of interfaces/);
  await othersWork('other-8');
  expect(world.vmi('status').status?.['interfaces']).toEqual({ blue: true });
});

it('somebody else writes at the same moment: neither change is lost', async () => {
  await world.run('race', on());
  const edits = ['domain', 'guest-agent'].entries();
  world.world.cluster.objects.subscribe(({ resource, object }) => {
    if (resource !== 'virtualmachineinstances' || object.metadata.name !== 'race') return;
    const [, source] = edits.next().value ?? [];
    if (source === undefined) return;
    queueMicrotask(() =>
      world.editVmi('race', (draft) => {
        draft.metadata.annotations = { ...draft.metadata.annotations, [`example.com/${source}`]: 'kept' };
      }),
    );
  });
  world.setTemplate('race', on('blue', 'red', 'green'));
  await world.plugged('race', 'blue', 'red', 'green');
  expect(world.vmi('race').metadata.annotations).toMatchObject({
    'example.com/domain': 'kept',
    'example.com/guest-agent': 'kept',
  });
});
