// Networks whose interfaces are devices, given by a device plugin that the kubelet knows: what network-status tells of the device, at pod
// creation and hot-plugged, and that no device is taken from a pod or lost.
import { describe, expect, it } from 'vitest';
import { withDevices } from '../device-story.ts';
import { explained } from '../expectations.ts';
import { canBuild, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, deviceNetwork } from '../networks.ts';

const story = withNamespace('device-plugin', 75);
const devices = withDevices(story);

/** Tests of this file share the devices of a node, and look at their own only. */
const expectFree = (addresses: readonly string[]) =>
  explained(
    `the devices ${addresses} to be free`,
    async () => {
      const holders = await devices.holders(story.node);
      const held = addresses.filter((address) => holders.has(address));
      if (held.length > 0) throw new Error(JSON.stringify([...holders]));
      return true;
    },
    plugDeadlineMs,
  );

describe.skipIf(!canBuild).concurrent('a network of a device plugin', () => {
  it('tells the device of a pod that was created with it, and leaves it alone when it leaves the annotation', async () => {
    const vf = await story.network(deviceNetwork, 'vf');
    const plain = await story.network(bridgeNetwork, 'plain');
    const pod = await story.startPod('created', { networks: 'vf@vf0', devices: 1 });
    const before = await story.expectInterfaces(pod, { vf0: vf });
    const [device = ''] = await devices.devicesOf(pod);
    expect(device).toMatch(/^0000:65:/);
    expect(await devices.reportedDevices(pod)).toEqual({ vf0: device });
    expect((await devices.holders(story.node)).get(device)).toMatch(/ vf0$/);

    await story.annotate(pod, undefined);
    await story.expectEvent(pod, 'DeviceAttachmentKept', /vf0/);
    await story.annotate(pod, 'plain@hot0');
    const both = await story.expectInterfaces(pod, { vf0: vf, hot0: plain });
    expect(both).toEqual(expect.arrayContaining([...before]));
    expect(await devices.reportedDevices(pod)).toEqual({ vf0: device });
    expect((await devices.holders(story.node)).get(device)).toMatch(/ vf0$/);

    await story.deletePod(pod);
    await expectFree([device]);
    await story.expectAddresses(vf, 0);
  });

  it('is hot-plugged with a device that the pod holds, and tells it; unplugged, the device is free for the pod again', async () => {
    const vf = await story.network(deviceNetwork, 'hot-vf');
    const pod = await story.startPod('hot', { networks: 'hot-vf@vf0', devices: 2 });
    await story.expectInterfaces(pod, { vf0: vf });
    const { vf0: first = '' } = await devices.reportedDevices(pod);
    const second = (await devices.devicesOf(pod)).find((address) => address !== first) ?? '';
    const elements = [
      { name: 'hot-vf', interface: 'vf0' },
      { name: 'hot-vf', interface: 'vf1', deviceID: second },
    ];

    for (const _round of ['once', 'again']) {
      await story.annotate(pod, elements);
      await story.expectInterfaces(pod, { vf0: vf, vf1: vf });
      expect(await devices.reportedDevices(pod)).toEqual({ vf0: first, vf1: second });
      expect((await devices.holders(story.node)).get(second)).toMatch(/ vf1$/);

      await story.annotate(pod, elements.slice(0, 1));
      await story.expectInterfaces(pod, { vf0: vf });
      await expectFree([second]);
    }

    await story.annotate(pod, elements);
    await story.expectInterfaces(pod, { vf0: vf, vf1: vf });
    await story.deletePod(pod);
    await expectFree([first, second]);
    await story.expectAddresses(vf, 0);
  });

  it('is refused with a device that the pod does not hold', async () => {
    const vf = await story.network(deviceNetwork, 'refused-vf');
    const pod = await story.startPod('refused', { networks: 'refused-vf@vf0', devices: 1 });
    await story.expectInterfaces(pod, { vf0: vf });
    await story.annotate(pod, [
      { name: 'refused-vf', interface: 'vf0' },
      { name: 'refused-vf', interface: 'vf1', deviceID: '0000:65:02.0' },
    ]);
    await story.expectEvent(pod, 'NotHotPluggable', /vf1|0000:65:02\.0/);
    await story.expectInterfaces(pod, { vf0: vf });
  });
});
