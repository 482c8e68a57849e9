// One element cannot be had: the others can, and it comes by itself as soon as it is possible.
import { beforeAll, describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, brokenNetwork, type Network } from '../networks.ts';

const story = withNamespace('partial', 36);
const comesWithinMs = 30_000;
let blue: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
});

describe.concurrent('an element that cannot be had', () => {
  it('holds back no other, and is plugged once its network is mended', async () => {
    const broken = await story.network(brokenNetwork, 'broken');
    const pod = await story.startPod('broken', { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@a0,broken@broken0,blue@b0');
    const healthy = await story.expectInterfaces(pod, { a0: blue, b0: blue });
    await story.expectEvent(pod, 'FailedAddingInterface', /broken0/);
    await story.expectCondition(pod, 'False', 'FailedAddingInterface');
    expect(await story.reports(pod)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ interface: 'a0', ready: true }),
        expect.objectContaining({ interface: 'broken0', ready: false, reason: 'FailedAddingInterface' }),
      ]),
    );

    const place = { story: 'partial', namespace: story.namespace, prefix: broken.prefix };
    await story.createNetwork(bridgeNetwork('broken', place));
    const all = await story.expectInterfaces(pod, { a0: blue, b0: blue, broken0: broken }, comesWithinMs);
    expect(all).toEqual(expect.arrayContaining([...healthy]));
    await story.expectCondition(pod, 'True', 'AllReady');
  });

  it('is plugged once its network is created', async () => {
    const late = story.plannedNetwork(bridgeNetwork, 'late');
    const pod = await story.startPod('missing');
    await story.annotate(pod, 'late@late0,blue@blue0');
    await story.expectInterfaces(pod, { blue0: blue });
    await story.expectEvent(pod, 'NetworkNotFound', /late/);
    await story.expectCondition(pod, 'False', 'NetworkNotFound');

    await story.createNetwork(late);
    await story.expectInterfaces(pod, { blue0: blue, late0: late }, comesWithinMs);
    await story.expectCondition(pod, 'True', 'AllReady');
    const warnings = await story.events(pod, 'NetworkNotFound');
    expect(warnings.map(({ count = 1 }) => count)).toEqual([1]);
  });

  it('is refused with a reason on a pod that uses the network of its node', async () => {
    const pod = await story.startPod('host', { spec: { hostNetwork: true } });
    const before = await story.links(pod);
    await story.annotate(pod, 'blue@blue0');
    await story.expectEvent(pod, 'HostNetworkPod');
    await story.expectCondition(pod, 'False', 'HostNetworkPod');
    expect((await story.links(pod)).map(({ ifname }) => ifname)).not.toContain('blue0');
    expect(before.length).toBeGreaterThan(0);
  });
});
