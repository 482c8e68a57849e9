// Addresses that the whole cluster shares are given back however the interface or its pod ends.
import { describe, expect, it } from 'vitest';
import { hasTwoNodes, withNamespace } from '../fixture.ts';
import { whereaboutsNetwork } from '../networks.ts';
import { deafCommand } from '../pods.ts';

const story = withNamespace('whereabouts', 42);

describe.concurrent('an address of whereabouts', () => {
  it('is taken at the plug and free after the unplug', async () => {
    const shared = await story.network(whereaboutsNetwork, 'unplug');
    const pod = await story.startPod('unplug', { networks: 'unplug@made0' });
    await story.annotate(pod, 'unplug@made0,unplug@hot0');
    await story.expectInterfaces(pod, { made0: shared, hot0: shared });
    expect(await story.addressesInUse(shared)).toHaveLength(2);

    await story.annotate(pod, 'unplug@hot0');
    await story.expectInterfaces(pod, { hot0: shared });
    await story.expectAddresses(shared, 1);
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(shared, 0);
  });

  it.skipIf(!hasTwoNodes)('is another one on each node, and free after the deletion of its pod', async () => {
    const shared = await story.network(whereaboutsNetwork, 'delete');
    const pods = await Promise.all(
      [story.node, story.otherNode].map((node, index) => story.startPod(`delete-${index}`, { node })),
    );
    await Promise.all(pods.map((pod) => story.annotate(pod, 'delete@hot0')));
    const links = await Promise.all(pods.map((pod) => story.expectInterfaces(pod, { hot0: shared })));
    expect(new Set(links.flat().flatMap(({ addresses }) => addresses)).size).toBe(2);

    await Promise.all(pods.map((pod) => story.deletePod(pod)));
    await story.expectAddresses(shared, 0);
  });

  it('is free after its pod was deleted by force', async () => {
    const shared = await story.network(whereaboutsNetwork, 'force');
    const pod = await story.startPod('force', { command: deafCommand });
    await story.annotate(pod, 'force@hot0');
    await story.expectInterfaces(pod, { hot0: shared });

    await story.deletePod(pod, '--force', '--grace-period=0');
    await story.expectAddresses(shared, 0);
  });
});
