// KubeVirt rewrites the annotation of a young launcher pod without its SR-IOV elements, and brings them back with the next plug.
// The pod cannot get a device a second time, so its interface must outlive that.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { networksAnnotation } from '../pods.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { podInterfaceName } from './vm-objects.ts';

const story = withNamespace('vm-device', 73);
const machines = withVirtualMachines(story);
const resource = 'example.com/vm-device';

const annotationHas = async (pod: { readonly name: string }, network: string): Promise<boolean> => {
  const text = (await story.getPod(pod)).metadata.annotations?.[networksAnnotation] ?? '';
  return text.includes(podInterfaceName(network));
};

/** `null` takes the resource away. */
const offerDevices = async (count: '10' | null): Promise<void> => {
  const offer = { [resource]: count };
  const patch = JSON.stringify({ status: { capacity: offer, allocatable: offer } });
  await story.kubectl.run(['patch', 'node', story.node, '--subresource=status', '--type=merge', '--patch', patch]);
};

beforeAll(async () => {
  if (canHaveVirtualMachines) await offerDevices('10');
});
afterAll(async () => {
  if (canHaveVirtualMachines) await offerDevices(null);
});

describe.skipIf(!canHaveVirtualMachines)('a virtual machine with a device', () => {
  it('keeps its interface while KubeVirt leaves it out of the annotation, and when it is back', async () => {
    const [vf, blue, green] = [
      await story.network(bridgeNetwork, 'vf'),
      await story.network(bridgeNetwork, 'blue'),
      await story.network(bridgeNetwork, 'green'),
    ];
    const definition = 'network-attachment-definitions.k8s.cni.cncf.io/vf';
    const annotation = `k8s.v1.cni.cncf.io/resourceName=${resource}`;
    await story.kubectl.run(['-n', story.namespace, 'annotate', definition, annotation]);
    await machines.start('device', {
      node: story.node,
      networks: [
        { name: 'vf', networkName: 'vf', binding: 'sriov' },
        { name: 'blue', networkName: 'blue' },
      ],
    });
    const pod = await machines.launcher('device');
    const isLeftOut = async () => ((await annotationHas(pod, 'vf')) ? undefined : true);
    await explained('KubeVirt to leave the device out of the annotation', isLeftOut, plugDeadlineMs);
    expect(await annotationHas(pod, 'blue')).toBe(true);
    await story.expectEvent(pod, 'DeviceAttachmentKept', new RegExp(podInterfaceName('vf')));
    const before = await machines.expectNetworks('device', { vf, blue });

    await machines.plug('device', { name: 'green', networkName: 'green' });
    const after = await machines.expectNetworks('device', { vf, blue, green });
    expect(after).toEqual(expect.arrayContaining([...before]));
    expect(await annotationHas(pod, 'vf')).toBe(true);

    await machines.unplug('device', 'green');
    expect(await machines.expectNetworks('device', { vf, blue })).toEqual(before);
    await story.expectAddresses(vf, 1);
  });
});
