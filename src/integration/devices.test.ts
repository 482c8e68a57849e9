import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

const VF = ['0000:65:00.2', '0000:65:00.3'];
const RESOURCE = 'example.com/vf';
const config = {
  cniVersion: '0.3.1',
  name: 'fast',
  type: 'sriov',
  ipam: { type: 'host-local', ranges: [[{ subnet: '10.10.4.0/24' }]] },
};

let world: World;
const start = async (flags: Record<string, string> = {}) => {
  world = await World.start({ cluster: { devices: { [RESOURCE]: VF } }, flags });
  world.cluster.createNad({ name: 'fast', config, resourceName: RESOURCE });
};

describe('a network whose devices come from a device plugin', () => {
  beforeAll(() => start());
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  it('stays when it leaves the annotation, with a notice, because KubeVirt rewrites it so for a while', async () => {
    const pod = await world.pod('vm-like', 'fast@f0, blue@a0', { resources: { [RESOURCE]: 1 } });
    await world.converged(pod, { f0: 'default/fast', a0: 'default/blue' });
    world.edit(pod, 'blue@a0');
    await world.cluster.until('a notice', () => world.events(pod, 'DeviceAttachmentKept').length === 1);
    await world.cluster.until('it counts as ready', () =>
      world.reports(pod).some((report) => report.interface === 'f0' && report.ready),
    );
    world.edit(pod, undefined);
    await world.converged(pod, { f0: 'default/fast' });
    world.edit(pod, 'fast@f0');
    await world.cluster.until('no notice any more', () =>
      world.reports(pod).every(({ reason }) => reason === undefined),
    );
  });

  it('is protected by its device-info even when its definition is gone', async () => {
    world.cluster.createNad({ name: 'gone', config: { ...config, name: 'gone' }, resourceName: RESOURCE });
    const pod = await world.pod('definition-gone', 'gone@f0', { resources: { [RESOURCE]: 1 } });
    world.cluster.objects.remove({ resource: 'network-attachment-definitions', namespace: 'default', name: 'gone' });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { f0: 'default/gone', a0: 'default/blue' });
  });

  it('cannot be hot-plugged into a pod that holds no such device', async () => {
    const pod = await world.pod('no-device');
    world.edit(pod, 'fast@f0, blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'NotHotPluggable');
    expect(world.reports(pod)[0]?.message).toContain(RESOURCE);
  });

  it('is refused for a device that the pod does not hold', async () => {
    const pod = await world.pod('other-device', undefined, { resources: { [RESOURCE]: 1 } });
    world.edit(pod, [{ name: 'fast', interface: 'f0', deviceID: '0000:99:00.0' }]);
    await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'NotHotPluggable');
    expect(world.reports(pod)[0]?.message).toContain('0000:99:00.0');
    expect(world.links(pod)).toEqual([]);
  });

  it('is hot-plugged with a device that the pod holds, and reports it', async () => {
    const pod = await world.pod('own-device', undefined, { resources: { [RESOURCE]: 1 } });
    world.edit(pod, [{ name: 'fast', interface: 'f0', deviceID: VF[0] }]);
    await world.converged(pod, { f0: 'default/fast' });
    const entry = world.cluster.networkStatus(pod).find((one) => one.interface === 'f0');
    expect(entry).toMatchObject({ 'device-info': { type: 'pci', version: '1.1.0', pci: { 'pci-address': VF[0] } } });
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });
});

describe('with deviceAttachments: manage', () => {
  beforeAll(() => start({ deviceAttachments: 'manage' }));
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  it('is removed like any other network', async () => {
    const pod = await world.pod('managed', 'fast@f0', { resources: { [RESOURCE]: 1 } });
    await world.converged(pod, { f0: 'default/fast' });
    world.edit(pod, undefined);
    await world.converged(pod, {});
  });
});
