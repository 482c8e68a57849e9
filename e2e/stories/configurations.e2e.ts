// Many interfaces, given addresses and MACs, lists of plugins, configs without a name.
import { describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, listNetwork, namelessNetwork } from '../networks.ts';

const story = withNamespace('config', 40);

describe.concurrent('hot-plug', () => {
  it('gives a pod eight interfaces at once, and takes them all', async () => {
    const one = await story.network(bridgeNetwork, 'one');
    const two = await story.network(bridgeNetwork, 'two');
    const names = Array.from({ length: 8 }, (_, index) => `hot${index}`);
    const pod = await story.startPod('eight');
    await story.annotate(
      pod,
      names.map((name, index) => ({ name: index % 2 === 0 ? 'one' : 'two', interface: name })),
    );
    const wanted = Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? one : two]));
    const links = await story.expectInterfaces(pod, wanted);
    expect(new Set(links.flatMap(({ addresses }) => addresses)).size).toBe(8);

    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(one, 0);
    await story.expectAddresses(two, 0);
  });

  it('gives the address and the MAC that the element asks for', async () => {
    const given = await story.network(bridgeNetwork, 'given');
    const pod = await story.startPod('given');
    const address = `${given.prefix}77`;
    const mac = '02:00:00:00:40:77';
    await story.annotate(pod, [{ name: 'given', interface: 'given0', ips: [`${address}/24`], mac }]);
    expect(await story.expectInterfaces(pod, { given0: given })).toMatchObject([{ addresses: [address], mac }]);
  });

  it('runs every plugin of a list', async () => {
    const list = await story.network(listNetwork, 'list');
    const pod = await story.startPod('list');
    await story.annotate(pod, 'list@list0');
    expect(await story.expectInterfaces(pod, { list0: list })).toMatchObject([{ mtu: 1400 }]);
    await story.annotate(pod, '');
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(list, 0);
  });

  it('takes a config without a name', async () => {
    const nameless = await story.network(namelessNetwork, `${story.namespace}-nameless`);
    const pod = await story.startPod('nameless', { networks: `${nameless.name}@made0` });
    await story.annotate(pod, `${nameless.name}@made0,${nameless.name}@hot0`);
    await story.expectInterfaces(pod, { made0: nameless, hot0: nameless });
    await story.annotate(pod, `${nameless.name}@hot0`);
    await story.expectInterfaces(pod, { hot0: nameless });
    await story.expectAddresses(nameless, 1);
  });
});
