// addinterface and removeinterface, with our gate's controller at work, and without it as on a cluster whose KubeVirt does it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashedName } from '../../vm/interface-names.ts';
import { MachineWorld, on } from '../vm/machine-world.ts';
import { installController } from './installed.ts';
import { runDnet } from './run-dnet.ts';

let machines: MachineWorld;
beforeAll(async () => {
  machines = await MachineWorld.start(['HotplugNICs']);
  installController(machines.world, ['--feature-gates=HotplugNICs=true']);
});
afterEach(() => machines.clean());
afterAll(() => machines.stop());

const dnet = (...args: string[]) => runDnet(machines.world, args);
const add = (vm: string, network: string, iface: string, ...more: string[]) =>
  dnet('addinterface', vm, '--network-name', network, '--iface-name', iface, ...more);
const remove = (vm: string, iface: string, ...more: string[]) =>
  dnet('removeinterface', vm, '--iface-name', iface, ...more);
const stopped = (name: string) =>
  machines.objects.create('virtualmachines', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'default', name },
    spec: { template: { spec: structuredClone(on('blue')) } },
  });
const names = (name: string) => machines.template(name).domain.devices.interfaces;

describe('with our gate', () => {
  it('plugs into the running machine alone, and takes it away again', async () => {
    await machines.run('vm-a', on('blue'));
    expect(await add('vm-a', 'red', 'extra')).toEqual({
      code: 0,
      out: 'virtualmachine/vm-a: extra on default/red requested\n',
      err: '',
    });
    await machines.plugged('vm-a', 'blue', 'extra');
    expect(machines.asked('vm-a')).toContain(hashedName('extra'));
    expect(names('vm-a')).toHaveLength(2);
    expect((await remove('vm-a', 'extra')).out).toBe('virtualmachine/vm-a: extra asked to be removed\n');
    await machines.plugged('vm-a', 'blue');
  });

  it('plugs for good with --persist', async () => {
    await machines.run('vm-a', on('blue'));
    expect((await add('vm-a', 'default/red', 'extra', '--persist', '--mac', '02:00:00:00:00:05')).code).toBe(0);
    await machines.plugged('vm-a', 'blue', 'extra');
    expect(names('vm-a')).toContainEqual({ name: 'extra', bridge: {}, macAddress: '02:00:00:00:00:05' });
  });

  it('loses no request when several people ask at the same time', async () => {
    await machines.run('vm-a', on('blue'));
    const said = await Promise.all(['x', 'y', 'z'].map((name) => add('vm-a', 'red', name)));
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
    await machines.plugged('vm-a', 'blue', 'x', 'y', 'z');
  });
});

describe('by the template, as KubeVirt wants it', () => {
  it('adds and removes, for a machine that runs and for one that does not', async () => {
    await machines.run('vm-a', on('blue'));
    expect((await add('vm-a', 'red', 'extra', '--persist', '--via', 'template')).out).toBe(
      'virtualmachine/vm-a: extra on default/red added to the template\n',
    );
    await machines.plugged('vm-a', 'blue', 'extra');
    await remove('vm-a', 'extra', '--persist', '--via', 'template');
    await machines.plugged('vm-a', 'blue');

    stopped('vm-b');
    await add('vm-b', 'red', 'extra', '--persist', '--via', 'template');
    expect(names('vm-b')).toContainEqual({ name: 'extra', bridge: {} });
    expect(machines.template('vm-b').networks).toContainEqual({ name: 'extra', multus: { networkName: 'red' } });
    await remove('vm-b', 'extra', '--persist', '--via', 'template');
    expect(machines.template('vm-b')).toEqual(on('blue'));
  });
});

describe('errors', () => {
  it.each([
    ['no such machine', ['vm-x', 'red', 'extra'], 'error: virtual machine default/vm-x does not exist\n'],
    [
      'the name is taken',
      ['vm-a', 'red', 'blue'],
      'error: virtual machine default/vm-a has an interface blue already, on blue\n',
    ],
    [
      'the name is that of the pod network',
      ['vm-a', 'red', 'default'],
      'has an interface default already, on the pod network\n',
    ],
    [
      'no such network',
      ['vm-a', 'yellow', 'extra'],
      'error: NetworkAttachmentDefinition default/yellow does not exist\n',
    ],
    ['a name that KubeVirt would refuse', ['vm-a', 'red', 'a b'], 'may only have letters, digits'],
    [
      'not running without --persist',
      ['vm-b', 'red', 'extra'],
      'error: virtual machine default/vm-b does not run\n  start it, or add --persist',
    ],
    [
      'for the running machine alone, by the template',
      ['vm-a', 'red', 'extra', '--via', 'template'],
      'add --persist to change the template, or turn the gate on',
    ],
  ])('%s', async (_name, [vm = '', network = '', iface = '', ...more], message) => {
    await machines.run('vm-a', on('blue'));
    stopped('vm-b');
    const said = await add(vm, network, iface, ...more);
    expect([said.code, said.out]).toEqual([1, '']);
    expect(said.err).toContain(message);
  });

  it('removing what is not there says what is', async () => {
    await machines.run('vm-a', on('blue'));
    expect((await remove('vm-a', 'extra')).err).toBe(
      'error: virtual machine default/vm-a has no interface extra\n  it has: default, blue\n',
    );
    expect((await remove('vm-a', 'default', '--persist', '--via', 'template')).err).toContain(
      'only interfaces with a bridge binding',
    );
  });

  it('does not take the pod network away from a machine that has it without saying so', async () => {
    machines.objects.create('virtualmachines', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace: 'default', name: 'vm-c' },
      spec: { template: { spec: { domain: { devices: {} } } } },
    });
    expect((await add('vm-c', 'red', 'extra', '--persist', '--via', 'template')).err).toContain('would take that away');
    expect((await dnet('addinterface', 'vm-c')).code).toBe(2);
  });
});
