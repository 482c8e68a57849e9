// Somebody removes an interface inside the pod: it is noticed and mended.
import { expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';

const story = withNamespace('drift', 45);
const noticedWithinMs = 30_000;

it('plugs an interface again that vanished, and leaves the others alone', async () => {
  const blue = await story.network(bridgeNetwork, 'blue');
  const pod = await story.startPod('drifting', { networks: 'blue@made0', isNetAdmin: true });
  await story.annotate(pod, 'blue@made0,blue@hot0,blue@kept0');
  const before = await story.expectInterfaces(pod, { made0: blue, hot0: blue, kept0: blue });

  await story.exec(pod, ['ip', 'link', 'delete', 'hot0']);
  expect((await story.links(pod)).map(({ ifname }) => ifname)).not.toContain('hot0');
  const after = await story.expectInterfaces(pod, { made0: blue, hot0: blue, kept0: blue }, noticedWithinMs);
  await story.expectEvent(pod, 'RepairedInterface', /hot0/);
  const others = before.filter(({ ifname }) => ifname !== 'hot0');
  expect(after).toEqual(expect.arrayContaining(others));
  await story.expectAddresses(blue, 3);
});
