// Networks of device plugins: a running pod cannot be given a device, and one that it has is not taken by a passing edit.
import { describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';

const story = withNamespace('devices', 48);

const makeDeviceNetwork = ({ name }: Network) => {
  const resource = 'k8s.v1.cni.cncf.io/resourceName=example.com/e2e';
  const definition = `network-attachment-definitions.k8s.cni.cncf.io/${name}`;
  return story.kubectl.run(['-n', story.namespace, 'annotate', definition, resource]);
};

describe.concurrent('a network of a device plugin', () => {
  it('is refused on a running pod, which holds no such device; others beside it are plugged', async () => {
    const device = await story.network(bridgeNetwork, 'device');
    const plain = await story.network(bridgeNetwork, 'plain');
    await makeDeviceNetwork(device);
    const pod = await story.startPod('refused');
    await story.annotate(pod, 'device@dev0,plain@plain0');
    await story.expectEvent(pod, 'NotHotPluggable', /example\.com/);
    await story.expectCondition(pod, 'False', 'NotHotPluggable');
    await story.expectInterfaces(pod, { plain0: plain });
  });

  it('stays when it came with the pod and left the annotation', async () => {
    const device = await story.network(bridgeNetwork, 'kept');
    const pod = await story.startPod('kept', { networks: 'kept@dev0' });
    const before = await story.expectInterfaces(pod, { dev0: device });
    await makeDeviceNetwork(device);

    await story.annotate(pod, undefined);
    await story.expectEvent(pod, 'DeviceAttachmentKept', /dev0/);
    expect(await story.expectInterfaces(pod, { dev0: device })).toEqual(before);
  });
});
