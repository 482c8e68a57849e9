// The interfaces of a running virtual machine, by edits of its template: KubeVirt turns them into the launcher pod's annotation,
// the agent into interfaces, and KubeVirt tells of them in the machine's status.
import { describe, expect, it } from 'vitest';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { networksAnnotation, statusOf } from '../pods.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { podInterfaceName } from './vm-objects.ts';

const story = withNamespace('vm-plug', 76);
const machines = withVirtualMachines(story);

describe.skipIf(!canHaveVirtualMachines).concurrent('a running virtual machine', () => {
  it('gets what is added to its template, a second time on the same network too, and loses what becomes absent', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const { metadata } = await machines.start('plain', { node: story.node });
    const pod = await machines.launcher('plain');
    await machines.expectNetworks('plain', {});

    await machines.plug('plain', { name: 'one', networkName: 'blue' });
    const [one] = await machines.expectNetworks('plain', { one: blue });
    expect((await machines.getVmi('plain')).status?.interfaces).toContainEqual(
      expect.objectContaining({ name: 'one', podInterfaceName: podInterfaceName('one') }),
    );

    await machines.plug('plain', { name: 'two', networkName: `${story.namespace}/blue`, mac: '02:00:00:00:76:02' });
    const both = await machines.expectNetworks('plain', { one: blue, two: blue });
    expect(both).toContainEqual(one);
    expect(both.map(({ mac }) => mac)).toContain('02:00:00:00:76:02');

    await machines.unplug('plain', 'one');
    const [two] = await machines.expectNetworks('plain', { two: blue });
    expect(both).toContainEqual(two);
    await story.expectAddresses(blue, 1);

    // The whole way back: when the guest has let go, KubeVirt takes it out of instance and template.
    await machines.expectInterfaceGone('plain', 'one');
    expect((await machines.getVmi('plain')).metadata.uid).toBe(metadata.uid);
    expect((await machines.launcher('plain')).uid).toBe(pod.uid);
  });

  it('loses nothing but the last one when KubeVirt empties the annotation', async () => {
    const green = await story.network(bridgeNetwork, 'green');
    await machines.start('last', { node: story.node, networks: [{ name: 'made', networkName: 'green' }] });
    await machines.expectNetworks('last', { made: green });
    const pod = await machines.launcher('last');
    const eth0 = (await story.links(pod)).find(({ ifname }) => ifname === 'eth0');
    const byDefault = statusOf(await story.getPod(pod)).find((entry) => entry.default === true);

    await machines.unplug('last', 'made');
    await machines.expectNetworks('last', {});
    expect((await story.getPod(pod)).metadata.annotations?.[networksAnnotation]).toBe('');
    expect(await story.links(pod)).toEqual([eth0]);
    expect(statusOf(await story.getPod(pod))).toEqual([byDefault]);
    await story.expectAddresses(green, 0);

    await machines.expectInterfaceGone('last', 'made');
    await machines.plug('last', { name: 'again', networkName: 'green' });
    await machines.expectNetworks('last', { again: green });
  });

  it('keeps what it was created with while others come and go', async () => {
    const made = await story.network(bridgeNetwork, 'made');
    const hot = await story.network(bridgeNetwork, 'hot');
    await machines.start('mixed', {
      node: story.otherNode,
      networks: [
        { name: 'first', networkName: 'made', mac: '02:00:00:00:76:11' },
        { name: 'second', networkName: 'made' },
      ],
    });
    const created = await machines.expectNetworks('mixed', { first: made, second: made });
    expect(created.map(({ mac }) => mac)).toContain('02:00:00:00:76:11');

    await machines.plug('mixed', { name: 'third', networkName: 'hot' });
    const all = await machines.expectNetworks('mixed', { first: made, second: made, third: hot });
    expect(all).toEqual(expect.arrayContaining([...created]));

    await machines.unplug('mixed', 'second');
    const left = await machines.expectNetworks('mixed', { first: made, third: hot });
    expect(all).toEqual(expect.arrayContaining([...left]));
  });
});
