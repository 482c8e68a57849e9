// Gate HotplugNICs on the embedded cluster, with the real agent and the real controller.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bridge, masquerade, multus, podNetwork, specObject } from '../../vm/test-machines.ts';
import { MachineWorld, on } from './machine-world.ts';

let world: MachineWorld;
beforeAll(async () => {
  world = await MachineWorld.start(['HotplugNICs']);
});
afterEach(async () => {
  expect(world.world.cluster.leaks()).toEqual([]);
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const [BLUE, RED] = ['pod16477688c0e', 'podb1f51a511f1'] as const;
const absent = { state: 'absent' };
const until: MachineWorld['world']['cluster']['until'] = (...args) => world.world.cluster.until(...args);

describe('a machine’s template', () => {
  it('with one more interface: it is in the running machine, in its pod, and in its status', async () => {
    await world.run('vm-a', on('blue'));
    await world.plugged('vm-a', 'blue');
    world.setTemplate('vm-a', on('blue', 'red'));
    await world.plugged('vm-a', 'blue', 'red');
    await world.world.converged(world.pod('vm-a'), { [BLUE]: 'default/blue', [RED]: 'default/red' });
    expect(world.asked('vm-a')).toEqual([BLUE, RED]);
    expect(world.interfaces('vm-a')).toEqual({
      default: { name: 'default', podInterfaceName: 'eth0' },
      blue: { name: 'blue', podInterfaceName: BLUE, infoSource: 'multus-status' },
      red: { name: 'red', podInterfaceName: RED, infoSource: 'multus-status' },
    });
    await until('both are ready', () => world.ready('vm-a')['blue']?.ready && world.ready('vm-a')['red']?.ready);
  });

  it('with two more on one network, and a MAC address, which is kept', async () => {
    await world.run('vm-b', on());
    const networks = [podNetwork, multus('one', 'blue'), multus('two', 'blue')];
    world.setTemplate(
      'vm-b',
      specObject(networks, [masquerade, bridge('one', { macAddress: '02:00:00:00:00:31' }), bridge('two')]),
    );
    await world.plugged('vm-b', 'one', 'two');
    const links = world.world.cluster.links(world.pod('vm-b')).filter(({ name }) => name !== 'eth0');
    expect(links).toHaveLength(2);
    expect(links.map(({ mac }) => mac)).toContain('02:00:00:00:00:31');
    expect(world.world.addresses()).toHaveLength(2);
  });

  it('with an absent interface: it is unplugged, and cleaned away when the guest has let go', async () => {
    await world.run('vm-c', on('blue', 'red'));
    await world.plugged('vm-c', 'blue', 'red');
    world.setTemplate(
      'vm-c',
      specObject(
        [podNetwork, multus('blue', 'blue'), multus('red', 'red')],
        [masquerade, bridge('blue', absent), bridge('red')],
      ),
    );
    await world.plugged('vm-c', 'red');
    await world.world.converged(world.pod('vm-c'), { [RED]: 'default/red' });
    expect(world.interfaces('vm-c')['blue']).toEqual({ name: 'blue', podInterfaceName: BLUE });
    expect(world.vmi('vm-c').spec?.['networks']).toHaveLength(3);
    world.finishUnplug('vm-c', 'blue');
    await until('the template is clean', () => world.template('vm-c').networks.length === 2);
    expect(world.vmi('vm-c').spec?.['networks']).toEqual([podNetwork, multus('red', 'red')]);
    expect(world.template('vm-c').domain.devices.interfaces).toEqual([masquerade, bridge('red')]);
    expect(Object.keys(world.ready('vm-c'))).toEqual(['red']);
  });

  it('the last interface unplugged leaves an empty annotation, and it can be plugged again', async () => {
    await world.run('vm-d', on('blue'));
    await world.plugged('vm-d', 'blue');
    world.setTemplate('vm-d', specObject([podNetwork, multus('blue', 'blue')], [masquerade, bridge('blue', absent)]));
    await world.plugged('vm-d');
    expect(world.podAnnotation('vm-d', 'k8s.v1.cni.cncf.io/networks')).toBe('');
    world.finishUnplug('vm-d', 'blue');
    await until('the template is clean', () => world.template('vm-d').networks.length === 1);
    world.setTemplate('vm-d', on('blue'));
    await world.plugged('vm-d', 'blue');
  });

  it('that does not say absent takes nothing away', async () => {
    await world.run('vm-e', on('blue'));
    await world.plugged('vm-e', 'blue');
    world.setTemplate('vm-e', on('red'));
    await world.plugged('vm-e', 'blue', 'red');
  });
});

describe('a machine with ordinal names', () => {
  it('gets the next number for a new interface, and an unplug is refused with a Warning', async () => {
    await world.run('old', on('blue'), { ordinal: true });
    await world.plugged('old', 'blue');
    expect(world.interfaces('old')['blue']).toMatchObject({ podInterfaceName: 'net1' });
    world.setTemplate('old', on('blue', 'red'));
    await world.plugged('old', 'blue', 'red');
    await world.world.converged(world.pod('old'), { net1: 'default/blue', net2: 'default/red' });
    world.setTemplate(
      'old',
      specObject(
        [podNetwork, multus('blue', 'blue'), multus('red', 'red')],
        [masquerade, bridge('blue', absent), bridge('red')],
      ),
    );
    const [message] = await until('people are told', () => {
      const messages = world.events('old', 'OrdinalInterfaceName');
      return messages.length > 0 && messages;
    });
    expect(message).toMatch(/"blue" cannot be unplugged.*restart or migrate/);
    expect(world.ready('old')['blue']).toMatchObject({ ready: true, reason: 'OrdinalInterfaceName' });
    await world.world.converged(world.pod('old'), { net1: 'default/blue', net2: 'default/red' });
  });
});

describe('an interface that fails', () => {
  it('is not ready, with the agent’s reason, and ready when it works; the others are not held back', async () => {
    await world.run('vm-f', on());
    const networks = [podNetwork, multus('late', 'late'), multus('green', 'green')];
    world.setTemplate('vm-f', specObject(networks, [masquerade, bridge('late'), bridge('green')]));
    await world.plugged('vm-f', 'green');
    await until('late is not ready', () => world.ready('vm-f')['late']?.reason === 'NetworkNotFound');
    expect(world.ready('vm-f')).toMatchObject({
      late: { ready: false, message: expect.stringContaining('late') },
      green: { ready: true },
    });
    expect(world.interfaces('vm-f')['late']).toBeUndefined();
    await until('people are told', () => world.events('vm-f', 'NetworkNotFound').length === 1);
    world.world.cluster.createNad({
      name: 'late',
      config: {
        cniVersion: '0.3.1',
        name: 'late',
        type: 'bridge',
        bridge: 'br-late',
        ipam: { type: 'host-local', ranges: [[{ subnet: '10.10.9.0/24' }]] },
      },
    });
    await world.plugged('vm-f', 'late', 'green');
    await until('late is ready', () => world.ready('vm-f')['late']?.ready === true);
    world.objects.remove({ resource: 'network-attachment-definitions', namespace: 'default', name: 'late' });
  });

  it('is not ready again when it is lost later', async () => {
    await world.run('vm-g', on('blue'));
    await world.plugged('vm-g', 'blue');
    await until('it is ready', () => world.ready('vm-g')['blue']?.ready === true);
    world.world.cluster.objects.modify({ resource: 'pods', ...world.pod('vm-g') }, (draft) => {
      const annotations = draft.metadata.annotations ?? {};
      const reports = [
        {
          interface: BLUE,
          network: 'default/blue',
          ready: false,
          reason: 'FailedAddingInterface',
          message: 'no address left',
          since: '2026-01-01T00:00:00Z',
        },
      ];
      draft.metadata.annotations = { ...annotations, 'dynamic-networks.io/interfaces': JSON.stringify(reports) };
    });
    await until('it is not ready', () => world.ready('vm-g')['blue']?.reason === 'FailedAddingInterface');
    expect(world.ready('vm-g')['blue']).toMatchObject({ ready: false, message: 'no address left' });
  });
});

describe('interface requests', () => {
  const ask = (name: string, ...requests: object[]) =>
    world.annotateVm(name, 'dynamic-networks.io/interface-requests', JSON.stringify(requests));
  const add = (name: string, persist: boolean) => ({
    addInterfaceOptions: { name, networkAttachmentDefinitionName: name },
    persist,
  });
  const remove = (name: string, persist: boolean) => ({ removeInterfaceOptions: { name }, persist });
  const isServed = (name: string) =>
    until(
      'requests are taken off',
      () => world.vm(name).metadata.annotations?.['dynamic-networks.io/interface-requests'] === undefined,
    );

  it('persistent: template and running machine get it, and lose it', async () => {
    await world.run('req-a', on());
    ask('req-a', add('blue', true));
    await world.plugged('req-a', 'blue');
    await isServed('req-a');
    expect(world.template('req-a')).toEqual(on('blue'));
    ask('req-a', remove('blue', true));
    await world.plugged('req-a');
    await isServed('req-a');
    world.finishUnplug('req-a', 'blue');
    await until('the template is clean', () => world.template('req-a').networks.length === 1);
  });

  it('not persistent: the running machine alone gets it, and loses it', async () => {
    await world.run('req-b', on());
    ask('req-b', add('blue', false));
    await world.plugged('req-b', 'blue');
    await isServed('req-b');
    expect(world.template('req-b')).toEqual(on());
    ask('req-b', remove('blue', false));
    await world.plugged('req-b');
    await isServed('req-b');
    expect(world.template('req-b')).toEqual(on());
  });

  it('a bad one is dropped with an event, and the others are served', async () => {
    await world.run('req-c', on());
    ask('req-c', { nonsense: 1 }, add('default', true), add('green', true));
    await world.plugged('req-c', 'green');
    await isServed('req-c');
    await until(
      'people are told',
      () =>
        world.events('req-c', 'InvalidInterfaceRequest').length === 1 &&
        world.events('req-c', 'InterfaceRequestRefused').length === 1,
    );
  });

  it('a text that is no list is left for its author, with an event', async () => {
    await world.run('req-d', on());
    world.annotateVm('req-d', 'dynamic-networks.io/interface-requests', '{"add":');
    await until('people are told', () => world.events('req-d', 'InvalidInterfaceRequest').length === 1);
    expect(world.vm('req-d').metadata.annotations?.['dynamic-networks.io/interface-requests']).toBe('{"add":');
  });
});

describe('a machine in which nothing changes', () => {
  it('costs no write, also after the controller has started anew', async () => {
    await world.run('idle', on('blue', 'green'));
    await world.plugged('idle', 'blue', 'green');
    await until('both are ready', () => world.ready('idle')['blue']?.ready && world.ready('idle')['green']?.ready);
    await world.stopController();
    const before = [world.vm('idle'), world.vmi('idle'), world.world.cluster.pod(world.pod('idle'))];
    const calls = world.patches();
    await world.startController();
    // A machine that does need something comes after those that do not: then the others have been looked at.
    await world.run('needy', on());
    world.setTemplate('needy', on('red'));
    await world.plugged('needy', 'red');
    expect([world.vm('idle'), world.vmi('idle'), world.world.cluster.pod(world.pod('idle'))]).toEqual(before);
    expect(
      world
        .patches()
        .slice(calls.length)
        .filter((call) => call.includes('idle')),
    ).toEqual([]);
  });
});
