// An element that asks for something else than before: what was hot-plugged is replaced once; what came with the pod stays.
import { beforeAll, describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import type { Element } from '../pods.ts';

const story = withNamespace('changed', 35);
let blue: Network;
let green: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
});

describe.concurrent('a hot-plugged interface', () => {
  it.each<[string, Partial<Element>]>([
    ['mac', { mac: '02:00:00:00:35:01' }],
    ['ips', { ips: ['10.35.0.77/24'] }],
    ['cni-args', { 'cni-args': { color: 'green' } }],
  ])('is replaced when its %s change', async (field, change) => {
    const pod = await story.startPod(`hot-${field}`);
    await story.annotate(pod, [{ name: 'blue', interface: 'hot0' }]);
    const [before] = await story.expectInterfaces(pod, { hot0: blue });

    await story.annotate(pod, [{ name: 'blue', interface: 'hot0', ...change }]);
    const event = await story.expectEvent(pod, 'ReplacedInterface', /hot0/);
    const [after] = await story.expectInterfaces(pod, { hot0: blue });
    expect(after?.index).not.toBe(before?.index);
    if (change.mac !== undefined) expect(after?.mac).toBe(change.mac);
    if (change.ips !== undefined) expect(after?.addresses).toEqual(['10.35.0.77']);
    expect(event.count ?? 1).toBe(1);
  });

  it('goes to another network when its name moves there', async () => {
    const pod = await story.startPod('moved', { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@made0,green@hot0');
    await story.expectInterfaces(pod, { made0: blue, hot0: green });

    await story.annotate(pod, 'green@made0,blue@hot0');
    await story.expectInterfaces(pod, { made0: green, hot0: blue });
    await story.expectEvent(pod, 'ReplacedInterface', /made0/);
  });
});

describe.concurrent('an interface that came with the pod', () => {
  it.each<[string, Partial<Element>]>([
    ['mac', { mac: '02:00:00:00:35:02' }],
    // Not the one after 10.35.0.77, which host-local gives to the next pod.
    ['ips', { ips: ['10.35.0.200/24'] }],
  ])('stays as it is when its %s change, with a Warning', async (field, change) => {
    const pod = await story.startPod(`made-${field}`, { networks: 'blue@made0' });
    const before = await story.expectInterfaces(pod, { made0: blue });
    // Multus made it: the agent has seen what was asked for first once it tells of it.
    await story.expectCondition(pod, 'True', 'AllReady');

    await story.annotate(pod, [{ name: 'blue', interface: 'made0', ...change }]);
    expect((await story.expectEvent(pod, 'AttributesChanged', /made0/)).type).toBe('Warning');
    expect(await story.expectInterfaces(pod, { made0: blue })).toEqual(before);
  });
});
