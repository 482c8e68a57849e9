// Without virt-controller a machine's launcher pod is a pod as any other: whoever writes its annotation in its place gets its interfaces
// plugged, and virt-controller finds everything as it would have made it when it is back.
import { describe, expect, it } from 'vitest';
import { startVirtController, stopVirtController } from '../cluster/kubevirt.ts';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { podInterfaceName } from './vm-objects.ts';

const story = withNamespace('vm-away', 77);
const machines = withVirtualMachines(story);

describe.skipIf(!canHaveVirtualMachines)('a virtual machine while virt-controller is away', () => {
  it('is plugged by an edit of its launcher pod, which virt-controller takes over', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    await machines.start('alone', { node: story.node });
    const pod = await machines.launcher('alone');
    const inPod = podInterfaceName('late');
    await stopVirtController(story.kubectl.run);
    try {
      await machines.plug('alone', { name: 'late', networkName: 'blue' });
      await story.annotate(pod, [{ name: 'blue', namespace: story.namespace, interface: inPod }]);
      await story.expectInterfaces(pod, { [inPod]: blue });
      const { spec, status } = await machines.getVmi('alone');
      expect(spec.networks?.map(({ name }) => name)).toEqual(['default']);
      expect(status?.interfaces?.map(({ name }) => name)).toEqual(['default']);
    } finally {
      await startVirtController(story.kubectl.run);
    }
    const before = await story.links(pod);
    await machines.expectNetworks('alone', { late: blue });
    expect(await story.links(pod)).toEqual(before);
  });
});
