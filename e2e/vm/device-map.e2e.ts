// The gate DeviceMap: the launcher pod's annotations tell which device each SR-IOV network has, and the machine's own container
// reads them in a file of the Downward API. The devices are the harness' own, without hardware.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDeviceMap } from '../../src/vm/read-device-map.ts';
import { withDnet } from '../cli/dnet.ts';
import { startVirtController, stopVirtController } from '../cluster/kubevirt.ts';
import { withDevices } from '../device-story.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, hasTwoNodes, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, deviceNetwork } from '../networks.ts';
import { type PodRef, type StatusEntry, statusOf } from '../pods.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { withVmGate } from './vm-gates.ts';
import { podInterfaceName } from './vm-objects.ts';

const infoKey = 'kubevirt.io/network-info';
const flatKey = 'kubevirt.io/network-to-pci-address';
/** The kubelet writes volumes again when it looks at the pod again. */
const fileDeadlineMs = 90_000;

const story = withNamespace('vm-map', 87);
const gate = withVmGate(story, 'device-map');
const devices = withDevices(story);
const machines = withVirtualMachines(story);
const { dnet } = withDnet(story.namespace);

/** Network of the machine -> PCI address, from what network-status tells of each interface. */
const reported = async (pod: PodRef, networks: readonly string[]): Promise<Readonly<Record<string, string>>> => {
  const byInterface = await devices.reportedDevices(pod);
  return Object.fromEntries(networks.map((network) => [network, byInterface[podInterfaceName(network)] ?? '']));
};

const annotationsOf = async (pod: PodRef) => (await story.getPod(pod)).metadata.annotations ?? {};

/** Both annotations say what network-status says of these networks, and of no others. */
const expectMap = (pod: PodRef, networks: readonly string[]): Promise<Readonly<Record<string, string>>> =>
  explained(
    `${pod.name} to have a map of ${networks}`,
    async () => {
      const wanted = await reported(pod, networks);
      expect(Object.values(wanted)).not.toContain('');
      const { [infoKey]: info = '{}', [flatKey]: flat } = await annotationsOf(pod);
      expect(flat).toBe(JSON.stringify(wanted));
      const { interfaces = [] }: { interfaces?: readonly { network: string; deviceInfo: object }[] } = JSON.parse(info);
      const infos = statusOf(await story.getPod(pod)).map((entry) => [entry.interface, entry['device-info']] as const);
      expect(interfaces).toEqual(
        networks.map((network) => ({ network, deviceInfo: new Map(infos).get(podInterfaceName(network)) })),
      );
      return wanted;
    },
    plugDeadlineMs,
  );

/** What the machine's container finds in the file, read by the library that is made for it. */
const expectFile = (pod: PodRef, wanted: Readonly<Record<string, string>>): Promise<boolean> =>
  explained(
    `the file in ${pod.name} to have ${JSON.stringify(wanted)}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'network-info-'));
      try {
        const file = join(folder, 'network-info');
        await writeFile(file, await story.exec(pod, ['cat', '/etc/podinfo/network-info']));
        const map = await readDeviceMap({ file, env: {}, networks: Object.keys(wanted), waitMs: 0 });
        if (!map.ok) throw new Error(map.reason);
        expect(map.source).toBe('file');
        expect(Object.fromEntries(map.addresses)).toEqual(wanted);
        return true;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    fileDeadlineMs,
  );

const withAddress = (entry: StatusEntry, address: string): StatusEntry => ({
  ...entry,
  'device-info': { ...entry['device-info'], pci: { 'pci-address': address } },
});

describe.skipIf(!canHaveVirtualMachines || !hasTwoNodes)('the devices of a virtual machine', () => {
  it('are in both annotations and in the file that its container reads, and follow network-status', async () => {
    await story.network(deviceNetwork, 'vf');
    await story.network(bridgeNetwork, 'plain');
    await machines.start('sr', {
      networks: [
        { name: 'vf1', networkName: 'vf', binding: 'sriov' },
        { name: 'plain', networkName: 'plain' },
      ],
    });
    const pod = await machines.launcher('sr');
    const first = await expectMap(pod, ['vf1']);
    expect(await devices.devicesOf(pod)).toEqual(Object.values(first));
    await expectFile(pod, first);
    const { stdout } = await dnet('devices', pod.name);
    expect(stdout).toContain(first['vf1']);

    // A device cannot be given to a pod that runs: one that is plugged comes with the pod that the machine migrates to.
    await machines.plug('sr', { name: 'vf2', networkName: 'vf', binding: 'sriov' });
    await explained(
      'the machine to want the second device',
      async () => ((await machines.getVmi('sr')).spec.networks?.length === 4 ? true : undefined),
      plugDeadlineMs,
    );
    await expectMap(pod, ['vf1']);
    const target = await machines.startMigration('sr');
    const both = await expectMap(target, ['vf1', 'vf2']);
    expect((await devices.devicesOf(target)).toSorted()).toEqual(Object.values(both).toSorted());
    await expectFile(target, both);
    await machines.finishMigration('sr');

    // The rest without virt-controller, which writes one of the two as well.
    await stopVirtController(story.kubectl.run);
    try {
      const annotate = (...changes: string[]) =>
        story.kubectl.run(['-n', story.namespace, 'annotate', 'pod', target.name, '--overwrite', ...changes]);
      await annotate(`${infoKey}-`, `${flatKey}-`);
      await expectMap(target, ['vf1', 'vf2']);

      const entries = statusOf(await story.getPod(target));
      const inPod = podInterfaceName('vf2');
      await story.writeStatus(
        target,
        entries.map((entry) => (entry.interface === inPod ? withAddress(entry, '0000:66:00.1') : entry)),
      );
      expect(await expectMap(target, ['vf1', 'vf2'])).toEqual({ ...both, vf2: '0000:66:00.1' });
      await expectFile(target, { ...both, vf2: '0000:66:00.1' });
      await story.writeStatus(target, entries);
      expect(await expectMap(target, ['vf1', 'vf2'])).toEqual(both);
    } finally {
      await startVirtController(story.kubectl.run);
    }
    expect(await gate.refusedRights()).toEqual([]);
  });
});
