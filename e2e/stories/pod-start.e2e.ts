// A pod that is still starting belongs to Multus: the agent waits, then plugs what was asked for meanwhile.
import { beforeAll, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { podDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { refOf, statusOf } from '../pods.ts';

const story = withNamespace('start', 37);
let blue: Network;
let green: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
});

const waitingInit = {
  initContainers: [
    {
      name: 'gate',
      image: story.podImage,
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', 'until [ -e /tmp/open ]; do sleep 0.1; done'],
    },
  ],
};

it('plugs what was asked for while an init container ran, once the pod runs', async () => {
  const witness = await story.startPod('witness');
  await story.createPod('early', { networks: 'blue@made0', spec: waitingInit });
  const isAtGate = async () => {
    const pod = await story.getPod({ name: 'early' });
    const isOpen = await story.kubectl.try(['-n', story.namespace, 'exec', 'early', '-c', 'gate', '--', 'true']);
    return statusOf(pod).length > 1 && isOpen.exitCode === 0 ? refOf(pod) : undefined;
  };
  const pod = await pollUntil('the init container to run', isAtGate, { deadlineMs: podDeadlineMs });

  await story.annotate(pod, 'blue@made0,green@early0');
  await story.annotate(witness, 'green@seen0');
  await story.expectInterfaces(witness, { seen0: green });
  const waiting = await story.getPod(pod);
  expect(waiting.status.phase).toBe('Pending');
  expect(statusOf(waiting).map((entry) => entry.interface)).toEqual(['eth0', 'made0']);
  expect(await story.addressesInUse(green)).toHaveLength(1);

  await story.kubectl.run(['-n', story.namespace, 'exec', pod.name, '-c', 'gate', '--', 'touch', '/tmp/open']);
  await story.expectInterfaces(pod, { made0: blue, early0: green }, podDeadlineMs);
});
