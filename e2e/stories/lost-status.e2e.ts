// A pod that runs without network-status: Multus writes none when it does not see the pod, and people remove annotations.
import { describe, expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, listNetwork, namelessNetwork, whereaboutsNetwork } from '../networks.ts';
import { type PodRef, statusAnnotation } from '../pods.ts';

const story = withNamespace('lost', 51);

const statusText = async (pod: PodRef) => (await story.getPod(pod)).metadata.annotations?.[statusAnnotation];
const loseStatus = (pod: PodRef) => story.annotatePod(pod, { [statusAnnotation]: null });

describe.concurrent('a pod that has lost its network-status', () => {
  it('gets the very one back that Multus wrote, and is plugged', async () => {
    const networks = {
      net1: await story.network(bridgeNetwork, 'plain'),
      list0: await story.network(listNetwork, 'list'),
      bare0: await story.network(namelessNetwork, 'nameless'),
      'pool-0': await story.network(whereaboutsNetwork, 'pool'),
    };
    const asked = 'plain,list@list0,nameless@bare0,pool@pool-0';
    const pod = await story.startPod('made', { networks: asked });
    const written = await statusText(pod);
    const before = await story.expectInterfaces(pod, networks);

    await loseStatus(pod);
    const isBack = async () => {
      expect(await statusText(pod)).toBe(written);
      return true;
    };
    await explained('network-status to be as Multus wrote it', isBack, plugDeadlineMs);
    await story.expectEvent(pod, 'RestoredStatus');
    expect(await story.expectInterfaces(pod, networks)).toEqual(before);

    await story.annotate(pod, `${asked},plain@hot0`);
    await story.expectInterfaces(pod, { ...networks, hot0: networks.net1 });
  });

  it('keeps what was plugged since, and does not get back what was unplugged', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const pod = await story.startPod('edited', { networks: 'blue@made0,blue@made1' });
    await story.annotate(pod, 'blue@made1,blue@hot0');
    const before = await story.expectInterfaces(pod, { made1: blue, hot0: blue });

    await loseStatus(pod);
    expect(await story.expectInterfaces(pod, { made1: blue, hot0: blue })).toEqual(before);
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(blue, 0);
  });

  it('is plugged although it came with the default network only', async () => {
    const later = await story.network(bridgeNetwork, 'later');
    const pod = await story.startPod('plain');
    const written = await statusText(pod);
    await loseStatus(pod);
    await story.annotate(pod, 'later@hot0');
    await story.expectInterfaces(pod, { hot0: later });
    expect((await statusText(pod))?.startsWith(written?.slice(0, -1) ?? 'nothing')).toBe(true);
  });
});
