// The pod's sandbox dies and kubelet makes a new one: the pod has its networks again, and the old sandbox keeps no address.
import { expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { podDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';

const story = withNamespace('sandbox', 46);

it('follows a pod into its new sandbox and releases what was in the old one', async () => {
  const blue = await story.network(bridgeNetwork, 'blue');
  const green = await story.network(bridgeNetwork, 'green');
  const pod = await story.startPod('killed', { networks: 'blue@made0' });
  await story.annotate(pod, 'blue@made0,blue@hot0');
  await story.expectInterfaces(pod, { made0: blue, hot0: blue });

  const node = story.host(pod.node);
  const [old] = await node.sandboxes(pod.uid);
  expect(old).toBeDefined();
  await node.signalTask(old?.id ?? '', 'SIGKILL');
  const newest = async () => {
    const [first] = await node.sandboxes(pod.uid);
    return first !== undefined && first.id !== old?.id ? first : undefined;
  };
  const current = await pollUntil('a new sandbox', newest, { deadlineMs: podDeadlineMs });
  await story.expectInterfaces(pod, { made0: blue, hot0: blue }, podDeadlineMs);
  const inUse = await story.expectAddresses(blue, 2);
  expect(inUse.every(({ holder }) => holder.startsWith(current.id))).toBe(true);

  // Both sandboxes may still be listed by the runtime: the plug goes into the one that lives.
  await story.annotate(pod, 'blue@made0,blue@hot0,green@later0');
  await story.expectInterfaces(pod, { made0: blue, hot0: blue, later0: green });
  await story.annotate(pod, 'green@later0');
  await story.expectInterfaces(pod, { later0: green });
});
