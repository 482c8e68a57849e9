// Elements without an interface name, and several on one network: each is an attachment of its own, and stays what it is.
import { beforeAll, describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';

const story = withNamespace('unnamed', 33);
let blue: Network;
let green: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
});

describe.concurrent('elements without an interface name', () => {
  it('keep the names that Multus gave them, also in another order', async () => {
    const pod = await story.startPod('reordered', { networks: 'blue,green' });
    const before = await story.expectInterfaces(pod, { net1: blue, net2: green });

    await story.annotate(pod, 'green,blue,blue@last0');
    const after = await story.expectInterfaces(pod, { net1: blue, net2: green, last0: blue });
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  it('get the lowest free name when plugged, and that name is free again afterwards', async () => {
    const pod = await story.startPod('lowest', { networks: 'blue,green' });
    await story.annotate(pod, 'blue,green,blue,blue');
    const full = await story.expectInterfaces(pod, { net1: blue, net2: green, net3: blue, net4: blue });
    expect(new Set(full.flatMap(({ addresses }) => addresses)).size).toBe(4);

    await story.annotate(pod, 'blue,blue,blue');
    await story.expectInterfaces(pod, { net1: blue, net3: blue, net4: blue });
    await story.annotate(pod, 'blue,blue,blue,green');
    await story.expectInterfaces(pod, { net1: blue, net2: green, net3: blue, net4: blue });
  });

  it('are refused on the launcher pod of a virtual machine, and named ones beside them are plugged', async () => {
    const pod = await story.startPod('launcher', { labels: { 'kubevirt.io': 'virt-launcher' } });
    await story.annotate(pod, [{ name: 'blue' }, { name: 'green', interface: 'green0' }]);
    await story.expectEvent(pod, 'InterfaceNameRequired');
    await story.expectCondition(pod, 'False', 'InterfaceNameRequired');
    await story.expectInterfaces(pod, { green0: green });
  });
});

describe.concurrent('several elements on one network', () => {
  it('are unplugged one by one', async () => {
    const pod = await story.startPod('several');
    await story.annotate(pod, 'blue@a0,blue@b0,blue@c0');
    const before = await story.expectInterfaces(pod, { a0: blue, b0: blue, c0: blue });
    await story.annotate(pod, 'blue@a0,blue@c0');
    const after = await story.expectInterfaces(pod, { a0: blue, c0: blue });
    expect(after).toEqual(before.filter(({ ifname }) => ifname !== 'b0'));
  });
});
