// The gate HotplugNICs, installed as users do: with virt-controller away it does virt-controller's work; with virt-controller beside
// it, which does the same, both come to one end. In migrations the target pod has the names of its source, old ones too.
import { describe, expect, it } from 'vitest';
import { withDnet } from '../cli/dnet.ts';
import { startVirtController, stopVirtController } from '../cluster/kubevirt.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, hasTwoNodes, plugDeadlineMs, podDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { networksAnnotation, type Pod, type PodRef, refOf, statusAnnotation, statusOf } from '../pods.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { withVmGate } from './vm-gates.ts';
import { podInterfaceName, type VmiSpec } from './vm-objects.ts';

const story = withNamespace('vm-hotplug', 89);
const gate = withVmGate(story, 'hotplug-nics');
const machines = withVirtualMachines(story);
const { dnet } = withDnet(story.namespace);

type ReadyReport = { readonly name: string; readonly ready: boolean; readonly reason?: string };

/** What our gate tells of the machine's interfaces: that they are ready, or a reason. */
const expectReady = (name: string, wanted: Readonly<Record<string, true | string>>): Promise<boolean> =>
  explained(
    `the report of ${name} to be ${JSON.stringify(wanted)}`,
    async () => {
      const { annotations = {} } = (await machines.getVmi(name)).metadata;
      const reports: readonly ReadyReport[] = JSON.parse(annotations['dynamic-networks.io/interfaces'] ?? '[]');
      const told = reports.map(({ name: network, ready, reason }) => [network, reason ?? ready]);
      expect(Object.fromEntries(told)).toEqual(wanted);
      return true;
    },
    plugDeadlineMs,
  );

const withoutVirtController = async (act: () => Promise<void>): Promise<void> => {
  await stopVirtController(story.kubectl.run);
  try {
    await act();
  } finally {
    await startVirtController(story.kubectl.run);
  }
};

const interfacesOf = ({ domain }: VmiSpec) => domain.devices.interfaces?.map(({ name }) => name);
const templateOf = async (name: string) => interfacesOf((await machines.getVm(name)).spec.template.spec);

const succeed = async (command: ReturnType<typeof dnet>): Promise<string> => {
  const { exitCode, stdout, stderr } = await command;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
};
const add = (vm: string, network: string, iface: string, ...more: readonly string[]) =>
  succeed(dnet('addinterface', vm, '--network-name', network, '--iface-name', iface, ...more));
const remove = (vm: string, iface: string, ...more: readonly string[]) =>
  succeed(dnet('removeinterface', vm, '--iface-name', iface, ...more));

const expectMachineEvent = (name: string, reason: string): Promise<string> =>
  explained(
    `an event ${reason} of ${name}`,
    async () => {
      const selector = `involvedObject.name=${name},reason=${reason},type=Warning`;
      const { items } = await story.kubectl.getJson<{ items: readonly { message: string }[] }>([
        ...['-n', story.namespace, 'events', '--field-selector', selector],
      ]);
      return items[0]?.message;
    },
    plugDeadlineMs,
  );

const namesIn = async (pod: PodRef): Promise<readonly (string | undefined)[]> =>
  statusOf(await story.getPod(pod))
    .map((entry) => entry.interface)
    .toSorted();

type LauncherPod = Pod & {
  readonly metadata: { readonly labels?: object; readonly ownerReferences?: readonly object[] };
};

/** The machine's pod again, as releases of old made it: without names, so that Multus counts. Only without virt-controller. */
const launchOrdinally = async (name: string): Promise<PodRef> => {
  const path = `/api/v1/namespaces/${story.namespace}/pods`;
  const { name: before } = await machines.launcher(name);
  const { metadata, spec } = await machines.api().get<LauncherPod>(`${path}/${before}`);
  const { labels, ownerReferences, annotations = {} } = metadata;
  const { [networksAnnotation]: networks = '[]', [statusAnnotation]: _, ...others } = annotations;
  const elements: readonly object[] = JSON.parse(networks);
  const unnamed = JSON.stringify(elements.map((element) => ({ ...element, interface: undefined })));
  await story.deletePod({ name: before }, '--grace-period=1');
  const made = await machines.api().create<Pod>(path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${before}-old`,
      labels,
      ownerReferences,
      annotations: { ...others, [networksAnnotation]: unnamed },
    },
    spec,
  });
  return explained(
    `pod ${made.metadata.name} to run`,
    async () => {
      const pod = await story.getPod(made.metadata);
      return pod.status.phase === 'Running' ? refOf(pod) : undefined;
    },
    podDeadlineMs,
  );
};

describe.skipIf(!canHaveVirtualMachines || !hasTwoNodes)('the gate HotplugNICs', () => {
  it('carries out requests and edits of the template while virt-controller is away', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const late = story.plannedNetwork(bridgeNetwork, 'late');
    await machines.start('alone', { node: story.node, networks: [{ name: 'made', networkName: 'blue' }] });
    await machines.expectNetworks('alone', { made: blue });

    await withoutVirtController(async () => {
      expect(await add('alone', 'blue', 'once', '--mac', '02:00:00:00:89:01')).toContain('requested');
      const links = await machines.expectNetworks('alone', { made: blue, once: blue });
      expect(links.map(({ mac }) => mac)).toContain('02:00:00:00:89:01');
      await add('alone', 'blue', 'kept', '--persist');
      await machines.expectNetworks('alone', { made: blue, once: blue, kept: blue });
      await expectReady('alone', { made: true, once: true, kept: true });
      expect(await templateOf('alone')).toEqual(['default', 'made', 'kept']);

      await machines.plug('alone', { name: 'late', networkName: 'late' });
      await expectReady('alone', { made: true, once: true, kept: true, late: 'NetworkNotFound' });
      expect(await expectMachineEvent('alone', 'NetworkNotFound')).toContain('create it');
      await story.createNetwork(late);
      await machines.expectNetworks('alone', { made: blue, once: blue, kept: blue, late });
      await expectReady('alone', { made: true, once: true, kept: true, late: true });

      await remove('alone', 'once');
      await remove('alone', 'kept', '--persist');
      await machines.expectNetworks('alone', { made: blue, late });
      await machines.expectInterfaceGone('alone', 'once');
      await machines.expectInterfaceGone('alone', 'kept');
    });
    const before = await machines.expectNetworks('alone', { made: blue, late });
    await machines.plug('alone', { name: 'more', networkName: 'blue' });
    const after = await machines.expectNetworks('alone', { made: blue, late, more: blue });
    expect(after).toEqual(expect.arrayContaining([...before]));
    expect(await gate.refusedRights()).toEqual([]);
  });

  it('gets along with virt-controller, and keeps names in a migration', async () => {
    const red = await story.network(bridgeNetwork, 'red');
    await machines.start('mover', { networks: [{ name: 'made', networkName: 'red' }] });
    await add('mover', 'red', 'once');
    await machines.plug('mover', { name: 'hot', networkName: 'red', mac: '02:00:00:00:89:02' });
    await machines.expectNetworks('mover', { made: red, once: red, hot: red });
    await machines.unplug('mover', 'made');
    await machines.expectInterfaceGone('mover', 'made');
    await machines.expectNetworks('mover', { once: red, hot: red });
    const source = await machines.launcher('mover');
    // Two authors, one interface: it was plugged once.
    for (const name of ['once', 'hot']) {
      const events = (await story.events(source, 'AddedInterface')).filter(({ message }) =>
        message.startsWith(podInterfaceName(name)),
      );
      expect(events.map(({ count = 1 }) => count)).toEqual([1]);
    }
    await expectReady('mover', { once: true, hot: true });

    const target = await machines.startMigration('mover');
    expect(target.node).not.toBe(source.node);
    const wanted = { [podInterfaceName('once')]: red, [podInterfaceName('hot')]: red };
    const links = await story.expectInterfaces(target, wanted);
    expect(links.map(({ mac }) => mac)).toContain('02:00:00:00:89:02');
    expect(await namesIn(target)).toEqual(await namesIn(source));

    // What comes while both pods are there comes to both, by our gate alone.
    await withoutVirtController(async () => {
      await add('mover', 'red', 'midway', '--persist');
      const all = { ...wanted, [podInterfaceName('midway')]: red };
      await story.expectInterfaces(source, all);
      await story.expectInterfaces(target, all);
    });
    await machines.finishMigration('mover');
    await machines.expectNetworks('mover', { once: red, hot: red, midway: red });
    await story.expectAddresses(red, 3);
    await expectReady('mover', { once: true, hot: true, midway: true });
    expect(await gate.refusedRights()).toEqual([]);
  });

  it('keeps ordinal names for life, and refuses to unplug where they would shift', async () => {
    const green = await story.network(bridgeNetwork, 'green');
    await machines.start('old', { networks: [{ name: 'first', networkName: 'green' }] });
    await machines.expectNetworks('old', { first: green });
    await withoutVirtController(async () => {
      const source = await launchOrdinally('old');
      await story.expectInterfaces(source, { net1: green });
      await machines.plug('old', { name: 'second', networkName: 'green' });
      await story.expectInterfaces(source, { net1: green, net2: green });
      await expectReady('old', { first: true, second: true });

      await machines.unplug('old', 'first');
      await expectReady('old', { first: 'OrdinalInterfaceName', second: true });
      expect(await expectMachineEvent('old', 'OrdinalInterfaceName')).toContain('restart');
      await story.expectInterfaces(source, { net1: green, net2: green });
    });
    const source = await machines.launcher('old');
    const target = await machines.startMigration('old');
    await story.expectInterfaces(target, { net1: green, net2: green });
    expect(await namesIn(target)).toEqual(await namesIn(source));
    await machines.finishMigration('old');
    await story.expectAddresses(green, 2);
  });
});
