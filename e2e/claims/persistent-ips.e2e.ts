// Virtual machines that keep their addresses: the real virt-controller, a bridge with static IPAM that takes the address it is
// told, and the machine's launcher pod looked into from its node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controllersReady, scaleControllers } from '../controllers.ts';
import { canHaveVirtualMachines, hasTwoNodes, withNamespace } from '../fixture.ts';
import { agentNamespace, controllerDeployment } from '../install-agent.ts';
import { podSpec } from '../pods.ts';
import { withVirtualMachines } from '../vm/virtual-machines.ts';
import { turnClaimsOff, turnClaimsOn } from './claims-gate.ts';
import { claimsOf } from './claims-story.ts';

const story = withNamespace('claims', 190);
const { kubectl, namespace } = story;

beforeAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOn(kubectl);
}, 300_000);
afterAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOff(kubectl);
}, 300_000);

const machines = withVirtualMachines(story);

const { network, allocated, refused, gone, expectInPod } = claimsOf(story, () => machines.api());

const deleteVm = (name: string) => kubectl.run(['-n', namespace, 'delete', 'virtualmachine', name, '--timeout=120s']);

describe.skipIf(!canHaveVirtualMachines)('a virtual machine that keeps its addresses', () => {
  it('has the claim in its pod, over restarts and a controller that ends meanwhile, and gives it back', async () => {
    await network('keep', { subnets: '10.190.1.0/29,fd00:190:1::/64' });
    await machines.start('first', { node: story.node, networks: [{ name: 'net', networkName: 'keep' }] });
    const ips = await allocated('first.net');
    expect(ips).toEqual(['10.190.1.2/29', 'fd00:190:1::2/64']);
    await expectInPod(await machines.launcher('first'), 'net', ips);

    await kubectl.run(['-n', agentNamespace, 'rollout', 'restart', `deployment/${controllerDeployment}`]);
    await machines.restart('first');
    await controllersReady(kubectl);
    expect(await allocated('first.net')).toEqual(ips);
    await expectInPod(await machines.launcher('first'), 'net', ips);

    await deleteVm('first');
    await gone('first.net');
    await machines.start('second', { node: story.node, networks: [{ name: 'net', networkName: 'keep' }] });
    expect(await allocated('second.net')).toEqual(ips);
    await expectInPod(await machines.launcher('second'), 'net', ips);
  }, 600_000);

  it('gets an address with a network that is plugged, and frees it when it is unplugged', async () => {
    await network('plug', { subnets: '10.190.2.0/29' });
    await machines.start('hot', { node: story.node });
    await machines.plug('hot', { name: 'late', networkName: 'plug' });
    const ips = await allocated('hot.late');
    await expectInPod(await machines.launcher('hot'), 'late', ips);
    await machines.unplug('hot', 'late');
    await gone('hot.late');
  }, 600_000);

  it('waits for an address of a network that is full, and gets the next one without help', async () => {
    await network('full', { subnets: '10.190.3.0/30' });
    await machines.start('has', { node: story.node, networks: [{ name: 'net', networkName: 'full' }] });
    const ips = await allocated('has.net');
    await machines.create('waits', { node: story.node, networks: [{ name: 'net', networkName: 'full' }] });
    await refused('waits.net', 'PoolExhausted');
    await deleteVm('has');
    expect(await allocated('waits.net')).toEqual(ips);
    await machines.expectRunning('waits');
    await expectInPod(await machines.launcher('waits'), 'net', ips);
  }, 600_000);

  it.skipIf(!hasTwoNodes)(
    'has the same address in the target pod of a migration',
    async () => {
      await network('move', { subnets: '10.190.4.0/29' });
      await machines.start('mover', { networks: [{ name: 'net', networkName: 'move' }] });
      const ips = await allocated('mover.net');
      const target = await machines.startMigration('mover');
      await expectInPod(target, 'net', ips);
      await machines.finishMigration('mover');
      expect(await allocated('mover.net')).toEqual(ips);
    },
    600_000,
  );

  it('has nothing to do with other pods: without any controller they start', async () => {
    await scaleControllers(kubectl, 0);
    try {
      await kubectl.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'bystander', namespace },
        spec: podSpec(story.podImage, { node: story.node }),
      });
      await kubectl.run(['-n', namespace, 'wait', '--for=condition=Ready', 'pod/bystander', '--timeout=60s']);
    } finally {
      await scaleControllers(kubectl, 2);
    }
  }, 600_000);
});
