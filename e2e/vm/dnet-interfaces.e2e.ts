// `kubectl dnet addinterface` and `removeinterface` on a cluster whose KubeVirt hot-plugs by itself: by the machine's template.
import { describe, expect, it } from 'vitest';
import { withDnet } from '../cli/dnet.ts';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { withVirtualMachines } from './virtual-machines.ts';

const story = withNamespace('vm-dnet', 88);
const machines = withVirtualMachines(story);
const { dnet } = withDnet(story.namespace);

const add = (vm: string, network: string, iface: string, ...more: readonly string[]) =>
  dnet('addinterface', vm, '--network-name', network, '--iface-name', iface, ...more);
const remove = (vm: string, iface: string, ...more: readonly string[]) =>
  dnet('removeinterface', vm, '--iface-name', iface, ...more);

const templateOf = async (name: string) =>
  (await machines.getVm(name)).spec.template.spec.domain.devices.interfaces?.map((one) => one.name);

describe.skipIf(!canHaveVirtualMachines).concurrent('kubectl dnet', () => {
  it('plugs and unplugs an interface of a running machine, and says what it cannot do', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    await machines.start('runs', { node: story.node });

    const alone = 'changes of the running machine alone need our gate HotplugNICs';
    expect(await add('runs', 'blue', 'one')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(alone) });
    expect(await templateOf('runs')).toEqual(['default']);

    expect(await add('runs', 'blue', 'one', '--persist', '--mac', '02:00:00:00:88:01')).toEqual({
      exitCode: 0,
      stdout: `virtualmachine/runs: one on ${story.namespace}/blue added to the template\n`,
      stderr: '',
    });
    const [one] = await machines.expectNetworks('runs', { one: blue });
    expect(one?.mac).toBe('02:00:00:00:88:01');
    expect((await add('runs', `${story.namespace}/blue`, 'two', '--persist')).exitCode).toBe(0);
    await machines.expectNetworks('runs', { one: blue, two: blue });

    const refusals: readonly (readonly [Promise<{ readonly stderr: string; readonly exitCode: number }>, string])[] = [
      [add('runs', 'blue', 'one', '--persist'), `${story.namespace}/runs has an interface one already, on blue`],
      [add('runs', 'nowhere', 'three', '--persist'), `${story.namespace}/nowhere does not exist`],
      [add('nobody', 'blue', 'three', '--persist'), `virtual machine ${story.namespace}/nobody does not exist`],
      [remove('runs', 'three', '--persist'), `has no interface three`],
      [remove('runs', 'default', '--persist'), 'only interfaces with a bridge binding'],
      [remove('runs', 'one'), alone],
    ];
    for (const [run, message] of refusals) {
      const { exitCode, stderr } = await run;
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) });
    }
    expect(await templateOf('runs')).toEqual(['default', 'one', 'two']);

    expect(await remove('runs', 'one', '--persist')).toMatchObject({
      exitCode: 0,
      stdout: 'virtualmachine/runs: one removed from the template\n',
    });
    await machines.expectNetworks('runs', { two: blue });
    await machines.expectInterfaceGone('runs', 'one');
    expect(await templateOf('runs')).toEqual(['default', 'two']);
  });

  it('changes a machine that does not run for its next start', async () => {
    const green = await story.network(bridgeNetwork, 'green');
    await machines.create('stopped', {
      node: story.node,
      isHalted: true,
      networks: [{ name: 'old', networkName: 'green' }],
    });
    expect(await add('stopped', 'green', 'new')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`virtual machine ${story.namespace}/stopped does not run`),
    });
    expect((await add('stopped', 'green', 'new', '--persist')).exitCode).toBe(0);
    expect((await remove('stopped', 'old', '--persist')).exitCode).toBe(0);
    await machines.switchOn('stopped');
    await machines.expectNetworks('stopped', { new: green });
  });
});
