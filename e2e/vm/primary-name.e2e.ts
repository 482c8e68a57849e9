// The gate PodInterfaceName where a node's pods do not leave by eth0: the node's default network is set up anew with a second
// interface that has the gateway, and Multus reports that one as the default.
import { afterAll, describe, expect, it } from 'vitest';
import { startVirtController, stopVirtController } from '../cluster/kubevirt.ts';
import { giveUplink, takeUplink, uplinkInterface } from '../cluster/uplink.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, hasNodeAccess, hasTwoNodes, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { type PodRef, statusOf } from '../pods.ts';
import { vmisPath } from './virt-handler.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { withVmGate } from './vm-gates.ts';
import { podInterfaceName } from './vm-objects.ts';

const targetAnnotation = 'dynamic-networks.io/migration-target';

const story = withNamespace('vm-primary', 79);
const gate = withVmGate(story, 'pod-interface-name');
const uplinked = new Set<string>();
// Registered before the machines' own hook, so that it runs after it: machines end as they began.
afterAll(async () => {
  for (const node of uplinked) await takeUplink(story.clusterNode(node));
});
const machines = withVirtualMachines(story);

const giveUplinkTo = async (node: string): Promise<void> => {
  uplinked.add(node);
  await giveUplink(story.clusterNode(node));
};

const expectPrimary = (name: string, expected: string): Promise<boolean> =>
  explained(
    `the primary interface of ${name} to be ${expected}`,
    async () => {
      const { status } = await machines.getVmi(name);
      const primary = status?.interfaces?.find((entry) => entry.name === 'default');
      if (primary?.podInterfaceName !== expected) throw new Error(JSON.stringify(status?.interfaces));
      return true;
    },
    plugDeadlineMs,
  );

const defaultOf = async (pod: PodRef): Promise<string | undefined> =>
  statusOf(await story.getPod(pod)).find((entry) => entry.default === true)?.interface;

const nodes = [story.node, story.otherNode];

describe.skipIf(!canHaveVirtualMachines || !hasNodeAccess || !hasTwoNodes)('the name of the primary interface', () => {
  it('is what the node calls it, in the target pod of a migration too, and eth0 where nobody says', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    await machines.start('mover', { networks: [{ name: 'blue', networkName: 'blue' }] });
    const source = await machines.launcher('mover');
    await expectPrimary('mover', 'eth0');

    await giveUplinkTo(nodes.find((node) => node !== source.node) ?? '');
    const target = await machines.startMigration('mover');
    expect(await defaultOf(target)).toBe(uplinkInterface);
    expect((await story.links(target)).map(({ ifname }) => ifname).toSorted()).toEqual(
      ['eth0', podInterfaceName('blue'), uplinkInterface].toSorted(),
    );
    await explained(
      'the primary interface of the target pod to be told',
      async () => {
        const text = (await machines.getVmi('mover')).metadata.annotations?.[targetAnnotation];
        expect(text).toBe(JSON.stringify({ targetPod: target.name, targetPodPrimaryInterfaceName: uplinkInterface }));
        return true;
      },
      plugDeadlineMs,
    );
    await expectPrimary('mover', 'eth0');
    await machines.finishMigration('mover');
    await expectPrimary('mover', uplinkInterface);

    // The rest without virt-controller, which knows the name as well: every word is ours.
    await stopVirtController(story.kubectl.run);
    try {
      const path = `${vmisPath(story.namespace)}/mover`;
      await machines.api().mergePatch(path, { status: { interfaces: null } });
      await expectPrimary('mover', uplinkInterface);

      const entries = statusOf(await story.getPod(target));
      await story.writeStatus(
        target,
        entries.map(({ default: _, ...entry }) => entry),
      );
      await expectPrimary('mover', 'eth0');
      await story.writeStatus(target, entries);
      await expectPrimary('mover', uplinkInterface);
      // Networks beside the primary are another gate's.
      expect((await machines.getVmi('mover')).status?.interfaces?.map(({ name }) => name)).toEqual(['default']);
    } finally {
      await startVirtController(story.kubectl.run);
    }
    await machines.expectNetworks('mover', { blue });
    expect(await gate.refusedRights()).toEqual([]);
  });
});
