// However a pod ends, its addresses come back; and a pod that is about to end gets nothing new.
import { describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { deafCommand } from '../pods.ts';

const story = withNamespace('end', 38);
const untilTold = ['sh', '-c', 'trap "touch /tmp/term" TERM; until [ -e /tmp/end ]; do sleep 0.1; done'];

describe.concurrent('a pod that ends', () => {
  it('gets nothing new while it is Terminating, and gives its addresses back when its containers have ended', async () => {
    const blue = await story.network(bridgeNetwork, 'grace-blue');
    const green = await story.network(bridgeNetwork, 'grace-green');
    const witness = await story.startPod('witness');
    const pod = await story.startPod('grace', { graceSeconds: 60, command: untilTold });
    await story.annotate(pod, 'grace-blue@hot0');
    const before = await story.expectInterfaces(pod, { hot0: blue });

    await story.deletePod(pod, '--wait=false');
    await story.annotate(pod, 'grace-blue@hot0,grace-green@late0');
    await story.annotate(witness, 'grace-green@seen0');
    await story.expectInterfaces(witness, { seen0: green });
    expect((await story.getPod(pod)).metadata.deletionTimestamp).toBeDefined();
    expect(await story.expectInterfaces(pod, { hot0: blue })).toEqual(before);
    expect(await story.addressesInUse(green)).toHaveLength(1);

    // A kubelet that is still busy with the pod as it was before its deletion starts a container again that ends by itself.
    await story.exec(pod, ['sh', '-c', 'until [ -e /tmp/term ]; do sleep 0.1; done']);
    await story.exec(pod, ['touch', '/tmp/end']);
    await story.expectAddresses(blue, 0);
    await story.kubectl.run(['-n', story.namespace, 'wait', `pod/${pod.name}`, '--for=delete', '--timeout=30s']);
  });

  it('gives its addresses back when it is deleted by force', async () => {
    const network = await story.network(bridgeNetwork, 'force');
    const pod = await story.startPod('force', { networks: 'force@made0', command: deafCommand });
    await story.annotate(pod, 'force@made0,force@hot0,force@hot1');
    await story.expectInterfaces(pod, { made0: network, hot0: network, hot1: network });

    await story.deletePod(pod, '--force', '--grace-period=0');
    await story.expectAddresses(network, 0);
  });

  it('gives them back although the network was deleted meanwhile', async () => {
    const network = await story.network(bridgeNetwork, 'gone');
    const pod = await story.startPod('gone');
    await story.annotate(pod, 'gone@hot0');
    await story.expectInterfaces(pod, { hot0: network });

    await story.deleteNetwork(network);
    await story.deletePod(pod);
    await story.expectAddresses(network, 0);
  });

  it('gives them back when it completes by itself', async () => {
    const network = await story.network(bridgeNetwork, 'done');
    const pod = await story.startPod('done', { command: untilTold, spec: { restartPolicy: 'Never' } });
    await story.annotate(pod, 'done@hot0');
    await story.expectInterfaces(pod, { hot0: network });

    await story.exec(pod, ['touch', '/tmp/end']);
    await story.expectAddresses(network, 0);
  });
});
