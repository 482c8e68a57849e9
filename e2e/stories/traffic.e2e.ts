// What an interface is for: pods reach each other over it while it is plugged, and no longer.
import { describe, expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { hasTwoNodes, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, macvlanNetwork } from '../networks.ts';
import type { PodRef } from '../pods.ts';

const story = withNamespace('traffic', 41);

const ping = (pod: PodRef, iface: string, address: string) => {
  const command = ['ping', '-c', '1', '-W', '1', '-I', iface, address];
  return story.kubectl.try(['-n', story.namespace, 'exec', pod.name, '--', ...command]);
};

const expectReach = (pod: PodRef, iface: string, address: string) =>
  explained(
    `${pod.name} to reach ${address}`,
    async () => {
      const { exitCode, stdout, stderr } = await ping(pod, iface, address);
      if (exitCode !== 0) throw new Error(`ping said: ${stdout} ${stderr}`);
      return true;
    },
    plugDeadlineMs,
  );

describe.concurrent('traffic', () => {
  it('flows between two pods on one node over a bridge, until one of them is unplugged', async () => {
    const lan = await story.network(bridgeNetwork, 'lan');
    const [near, far] = await Promise.all([story.startPod('near'), story.startPod('far')]);
    await Promise.all([near, far].map((pod) => story.annotate(pod, 'lan@lan0')));
    await story.expectInterfaces(near, { lan0: lan });
    const [link] = await story.expectInterfaces(far, { lan0: lan });
    const address = link?.addresses[0] ?? '';
    await expectReach(near, 'lan0', address);

    await story.annotate(far, undefined);
    await story.expectInterfaces(far, {});
    const { exitCode, stdout } = await ping(near, 'lan0', address);
    expect(stdout).toContain('100% packet loss');
    expect(exitCode).not.toBe(0);
  });

  it.skipIf(!hasTwoNodes)('flows between nodes over macvlan, until one of them is unplugged', async () => {
    const shared = await story.network(macvlanNetwork, 'shared');
    const [here, there] = await Promise.all([
      story.startPod('here', { node: story.node }),
      story.startPod('there', { node: story.otherNode }),
    ]);
    expect(here.node).not.toBe(there.node);
    const addresses = [`${shared.prefix}1`, `${shared.prefix}2`];
    await Promise.all(
      [here, there].map((pod, index) =>
        story.annotate(pod, [{ name: 'shared', interface: 'mv0', ips: [`${addresses[index]}/24`] }]),
      ),
    );
    await story.expectInterfaces(here, { mv0: shared });
    await story.expectInterfaces(there, { mv0: shared });
    await expectReach(here, 'mv0', addresses[1] ?? '');

    await story.annotate(there, '[]');
    await story.expectInterfaces(there, {});
    expect((await ping(here, 'mv0', addresses[1] ?? '')).stdout).toContain('100% packet loss');
  });
});
