// A virtual machine that starts again in another launcher pod has what its template says, hot-plugged or not.
import { describe, expect, it } from 'vitest';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { withVirtualMachines } from './virtual-machines.ts';

const story = withNamespace('vm-restarts', 71);
const machines = withVirtualMachines(story);

/** A machine with one network since its creation, and one hot-plugged. */
const startMixed = async (name: string) => {
  const made = await story.network(bridgeNetwork, `${name}-made`);
  const hot = await story.network(bridgeNetwork, `${name}-hot`);
  await machines.start(name, { node: story.node, networks: [{ name: 'made', networkName: made.name }] });
  await machines.expectNetworks(name, { made });
  await machines.plug(name, { name: 'hot', networkName: hot.name });
  await machines.expectNetworks(name, { made, hot });
  return { made, hot };
};

describe.skipIf(!canHaveVirtualMachines).concurrent('a virtual machine that comes back', () => {
  it('has its networks again after a restart, once each, and can be plugged and unplugged', async () => {
    const { made, hot } = await startMixed('restarted');
    const before = await machines.launcher('restarted');
    await machines.restart('restarted');
    expect((await machines.launcher('restarted')).uid).not.toBe(before.uid);
    await machines.expectNetworks('restarted', { made, hot });
    await story.expectAddresses(made, 1);
    await story.expectAddresses(hot, 1);

    // Now both came with the pod.
    await machines.unplug('restarted', 'hot');
    await machines.expectNetworks('restarted', { made });
    await story.expectAddresses(hot, 0);
    await machines.plug('restarted', { name: 'more', networkName: hot.name });
    await machines.expectNetworks('restarted', { made, more: hot });
  });

  it.each([
    ['deleted', []],
    ['deleted by force', ['--force', '--grace-period=0']],
  ])('has them again when its launcher pod was %s', async (how, flags) => {
    const name = how.replaceAll(' ', '-');
    const { made, hot } = await startMixed(name);
    const { metadata } = await machines.getVmi(name);
    await story.deletePod(await machines.launcher(name), ...flags);
    await machines.expectRunning(name, metadata.uid);
    await machines.expectNetworks(name, { made, hot });
    await story.expectAddresses(made, 1);
    await story.expectAddresses(hot, 1);
  });
});
