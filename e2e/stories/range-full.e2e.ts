// A range without a free address: the ADD fails half-way, leaves nothing behind, and succeeds once an address is free.
import { expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { tinyNetwork } from '../networks.ts';

const story = withNamespace('range', 47);
const comesWithinMs = 30_000;

it('plugs the second interface when the first one has given its address back', async () => {
  const tiny = await story.network(tinyNetwork, 'tiny');
  const [first, second] = await Promise.all([story.startPod('first'), story.startPod('second')]);
  await story.annotate(first, 'tiny@hot0');
  const [link] = await story.expectInterfaces(first, { hot0: tiny });

  await story.annotate(second, 'tiny@hot0');
  await story.expectEvent(second, 'FailedAddingInterface', /no IP addresses available/);
  await story.expectCondition(second, 'False', 'FailedAddingInterface');
  await story.expectInterfaces(second, {});

  await story.annotate(first, undefined);
  await story.expectInterfaces(first, {});
  const [inherited] = await story.expectInterfaces(second, { hot0: tiny }, comesWithinMs);
  expect(inherited?.addresses).toEqual(link?.addresses);
  await story.expectCondition(second, 'True', 'AllReady');
});
