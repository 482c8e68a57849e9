// Networks of device plugins: a running pod cannot be given a device, and one that it has is not taken by a passing edit.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { configureAgents } from '../install-agent.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { statusOf } from '../pods.ts';

const story = withNamespace('devices', 48);

const makeDeviceNetwork = ({ name }: Network) => {
  const resource = 'k8s.v1.cni.cncf.io/resourceName=example.com/e2e';
  const definition = `network-attachment-definitions.k8s.cni.cncf.io/${name}`;
  return story.kubectl.run(['-n', story.namespace, 'annotate', definition, resource]);
};

const device = { held: '0000:48:00.1', other: '0000:48:00.2' };

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

  it('stays when only its status entry tells of a device', async () => {
    const network = await story.network(bridgeNetwork, 'told');
    const pod = await story.startPod('told', { networks: 'told@dev0' });
    const before = await story.expectInterfaces(pod, { dev0: network });
    const info = { type: 'pci', version: '1.1.0', pci: { 'pci-address': device.held } };
    const entries = statusOf(await story.getPod(pod));
    const told = entries.map((entry) => (entry.interface === 'dev0' ? { ...entry, 'device-info': info } : entry));
    await story.writeStatus(pod, told);

    await story.annotate(pod, undefined);
    await story.expectEvent(pod, 'DeviceAttachmentKept', /dev0/);
    expect(await story.expectInterfaces(pod, { dev0: network })).toEqual(before);
    expect(statusOf(await story.getPod(pod))).toEqual(told);
  });

  it('is plugged when the element names a device that the pod holds, and refused for any other', async () => {
    const network = await story.network(bridgeNetwork, 'held');
    await makeDeviceNetwork(network);
    const pod = await story.startPod('held', { env: { PCIDEVICE_EXAMPLE_COM_E2E: device.held } });
    await story.annotate(pod, [{ name: 'held', interface: 'dev0', deviceID: device.other }]);
    await story.expectEvent(pod, 'NotHotPluggable', new RegExp(device.other));
    await story.expectInterfaces(pod, {});

    await story.annotate(pod, [{ name: 'held', interface: 'dev0', deviceID: device.held }]);
    await story.expectInterfaces(pod, { dev0: network });
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(network, 0);
  });
});

describe('a network of a device plugin, with deviceAttachments: manage', () => {
  const setting = 'DYNAMIC_NETWORKS_DEVICE_ATTACHMENTS';
  beforeAll(() => configureAgents(story.kubectl, setting, 'manage'));
  afterAll(() => configureAgents(story.kubectl, setting, undefined));

  it('goes when it came with the pod and left the annotation', async () => {
    const network = await story.network(bridgeNetwork, 'managed');
    const pod = await story.startPod('managed', { networks: 'managed@dev0' });
    await story.expectInterfaces(pod, { dev0: network });
    await makeDeviceNetwork(network);

    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
    await story.expectAddresses(network, 0);
  });
});
