// A virtual machine that moves to another node: its interfaces have the same names there, and their old addresses are free.
import { describe, expect, it } from 'vitest';
import { canHaveVirtualMachines, hasTwoNodes, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { statusOf } from '../pods.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { podInterfaceName } from './vm-objects.ts';

const story = withNamespace('vm-migration', 72);
const machines = withVirtualMachines(story);

describe.skipIf(!canHaveVirtualMachines || !hasTwoNodes)('a virtual machine that migrates', () => {
  it('has interfaces of the same names in the target pod, created with it or hot-plugged; and can be plugged there', async () => {
    const made = await story.network(bridgeNetwork, 'made');
    const hot = await story.network(bridgeNetwork, 'hot');
    await machines.start('mover', { networks: [{ name: 'made', networkName: 'made' }] });
    await machines.plug('mover', { name: 'hot', networkName: 'hot', mac: '02:00:00:00:72:02' });
    await machines.expectNetworks('mover', { made, hot });
    const source = await machines.launcher('mover');

    const target = await machines.startMigration('mover');
    expect(target.node).not.toBe(source.node);
    const wanted = { [podInterfaceName('made')]: made, [podInterfaceName('hot')]: hot };
    const links = await story.expectInterfaces(target, wanted);
    expect(links.map(({ mac }) => mac)).toContain('02:00:00:00:72:02');
    // Until it is over, the machine has both.
    await story.expectInterfaces(source, wanted);
    await story.expectAddresses(hot, 2);
    const namesIn = async (pod: typeof source) => statusOf(await story.getPod(pod)).map((entry) => entry.interface);
    expect((await namesIn(target)).toSorted()).toEqual((await namesIn(source)).toSorted());

    await machines.finishMigration('mover');
    expect((await machines.launcher('mover')).uid).toBe(target.uid);
    expect(await machines.expectNetworks('mover', { made, hot })).toEqual(links);
    await story.expectAddresses(made, 1);
    await story.expectAddresses(hot, 1);

    await machines.unplug('mover', 'hot');
    await machines.expectNetworks('mover', { made });
    await machines.plug('mover', { name: 'late', networkName: 'hot' });
    await machines.expectNetworks('mover', { made, late: hot });
  });
});
