// Interfaces that Multus attached when the pod was created can be unplugged later, as any other.
import { describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, listNetwork } from '../networks.ts';

const story = withNamespace('created', 39);

describe.concurrent('an interface that came with the pod', () => {
  it('is unplugged, its address is free, and it can be plugged again', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const pod = await story.startPod('plain', { networks: 'blue,blue@made0' });
    const before = await story.expectInterfaces(pod, { net1: blue, made0: blue });

    await story.annotate(pod, 'blue@made0');
    const [kept] = await story.expectInterfaces(pod, { made0: blue });
    expect(before).toContainEqual(kept);
    await story.expectAddresses(blue, 1);
    await story.annotate(pod, 'blue@made0,blue@net1');
    await story.expectInterfaces(pod, { made0: blue, net1: blue });
  });

  it('is unplugged although its network was deleted meanwhile', async () => {
    const gone = await story.network(bridgeNetwork, 'gone');
    const list = await story.network(listNetwork, 'gone-list');
    const pod = await story.startPod('gone', { networks: 'gone@made0,gone-list@made1' });
    await story.expectInterfaces(pod, { made0: gone, made1: list });

    await story.deleteNetwork(gone);
    await story.deleteNetwork(list);
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(gone, 0);
    await story.expectAddresses(list, 0);
  });

  it('is unplugged with the config it was plugged with, hot-plugged ones too, although the network was changed', async () => {
    const changed = await story.network(bridgeNetwork, 'changed');
    const pod = await story.startPod('changed', { networks: 'changed@made0' });
    await story.annotate(pod, 'changed@made0,changed@hot0');
    await story.expectInterfaces(pod, { made0: changed, hot0: changed });

    const place = { story: 'created', namespace: `${story.namespace}`, prefix: '10.39.99.' };
    const other = {
      ...bridgeNetwork('other', place).manifest,
      metadata: { name: 'changed', namespace: story.namespace },
    };
    await story.kubectl.apply(other);
    await story.annotate(pod, '');
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(changed, 0);
  });
});
