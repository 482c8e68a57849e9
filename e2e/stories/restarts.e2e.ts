// Pods that come back: under the same name from a StatefulSet, elsewhere after a drain.
import { describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { podDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { type PodRef, podMetadata, podSpec, refOf } from '../pods.ts';

const story = withNamespace('restarts', 43);

const statefulSet = (networks: string): object => {
  const labels = { app: 'db' };
  const options = { networks, labels, node: story.node };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: story.namespace },
    spec: {
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: podMetadata(options), spec: podSpec(story.podImage, options) },
    },
  };
};

const runningPod = (name: string, exceptUid?: string): Promise<PodRef> =>
  pollUntil(
    `pod ${name} to run`,
    async () => {
      const pod = await story.getPod({ name });
      return pod.metadata.uid !== exceptUid && pod.status.phase === 'Running' ? refOf(pod) : undefined;
    },
    { deadlineMs: podDeadlineMs },
  );

describe.concurrent('a pod that comes back', () => {
  it('has what its StatefulSet says, not what its namesake had; and can be plugged again', async () => {
    const made = await story.network(bridgeNetwork, 'made');
    const hot = await story.network(bridgeNetwork, 'hot');
    await story.kubectl.apply(statefulSet('made@made0'));
    const first = await runningPod('db-0');
    await story.annotate(first, 'made@made0,hot@hot0');
    await story.expectInterfaces(first, { made0: made, hot0: hot });

    await story.kubectl.run(['-n', story.namespace, 'rollout', 'restart', 'statefulset/db']);
    const second = await runningPod('db-0', first.uid);
    expect(second.uid).not.toBe(first.uid);
    await story.expectInterfaces(second, { made0: made });
    await story.expectAddresses(hot, 0);
    await story.annotate(second, 'made@made0,hot@hot0');
    await story.expectInterfaces(second, { made0: made, hot0: hot });
  });

  it('left no address behind when its node was drained', async () => {
    const drained = await story.network(bridgeNetwork, 'drained');
    const labels = { drain: story.namespace };
    const pods = await Promise.all(['one', 'two'].map((name) => story.startPod(name, { labels })));
    await Promise.all(pods.map((pod) => story.annotate(pod, 'drained@hot0')));
    for (const pod of pods) await story.expectInterfaces(pod, { hot0: drained });
    expect(await story.addressesInUse(drained)).toHaveLength(2);

    const ours = `--pod-selector=drain=${story.namespace}`;
    try {
      await story.kubectl.run(['drain', story.node, '--force', '--ignore-daemonsets', ours, '--timeout=60s']);
      await story.expectAddresses(drained, 0);
    } finally {
      await story.kubectl.run(['uncordon', story.node]);
    }
  });
});
