// An edit that asks for what is there already costs nothing: no interface is touched, and Multus is not called.
import { beforeAll, expect, it } from 'vitest';
import { countOperations } from '../agent-metrics.ts';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';

const story = withNamespace('unchanged', 34);
let blue: Network;
let green: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
});

it('makes no call to Multus for edits that change nothing', async () => {
  const pod = await story.startPod('same', { networks: 'blue@made0' });
  await story.annotate(pod, [
    { name: 'blue', interface: 'made0' },
    { name: 'green', interface: 'hot0', mac: '02:00:00:00:34:01' },
  ]);
  const before = await story.expectInterfaces(pod, { made0: blue, hot0: green });
  const agent = await story.agentPod(pod.node);
  const { ADD: adds = 0, DEL: removals = 0 } = await countOperations(story.kubectl, agent);
  expect(adds).toBeGreaterThan(0);

  const hot = { interface: 'hot0', mac: '02:00:00:00:34:01', name: 'green' };
  await story.annotate(pod, [hot, { name: 'blue', interface: 'made0' }]);
  await story.annotate(pod, [{ name: 'blue', namespace: story.namespace, interface: 'made0' }, hot]);
  await story.kubectl.run(['-n', story.namespace, 'label', 'pod', pod.name, 'edited=true']);
  // An edit that does change something shows that the agent has gone past the others.
  await story.annotate(pod, [{ name: 'blue', interface: 'made0' }, hot, { name: 'blue', interface: 'last0' }]);
  const after = await story.expectInterfaces(pod, { made0: blue, hot0: green, last0: blue });

  expect(after).toEqual(expect.arrayContaining([...before]));
  expect(await countOperations(story.kubectl, agent)).toEqual({ ADD: adds + 1, DEL: removals });
});
