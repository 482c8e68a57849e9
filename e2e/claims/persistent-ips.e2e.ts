// Virtual machines that keep their addresses: the real virt-controller, a bridge with static IPAM that takes the address it is
// told, and the machine's launcher pod looked into from its node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, hasTwoNodes, podDeadlineMs, withNamespace } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { podSpec } from '../pods.ts';
import { withVirtualMachines } from '../vm/virtual-machines.ts';
import { podInterfaceName } from '../vm/vm-objects.ts';
import {
  controllerDeployment,
  controllersReady,
  scaleControllers,
  turnClaimsOff,
  turnClaimsOn,
} from './claims-gate.ts';

const story = withNamespace('claims', 190);
const { kubectl, namespace } = story;

beforeAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOn(kubectl);
}, 300_000);
afterAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOff(kubectl);
}, 300_000);

const machines = withVirtualMachines(story);

type Claim = {
  readonly metadata: { readonly uid: string };
  readonly status?: {
    readonly ips?: readonly string[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
};

/** Not in the story's own list: its addresses are in claims, and not in a node's address store. */
const network = async (name: string, subnets: string): Promise<void> => {
  const config = {
    cniVersion: '0.3.1',
    name: `${namespace}-${name}`,
    type: 'bridge',
    bridge: `e2e-c-${name}`,
    capabilities: { ips: true },
    ipam: { type: 'static' },
    allowPersistentIPs: true,
    subnets,
  };
  await kubectl.apply({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace },
    spec: { config: JSON.stringify(config) },
  });
};

const claimPath = (name: string) => `/apis/k8s.cni.cncf.io/v1alpha1/namespaces/${namespace}/ipamclaims/${name}`;
const getClaim = (name: string) => machines.api().get<Claim>(claimPath(name));

const allocated = (name: string): Promise<readonly string[]> =>
  explained(
    `claim ${name} to have addresses`,
    async () => {
      const { status } = await getClaim(name);
      const isGiven = status?.conditions?.some(({ type, status: is }) => type === 'IPsAllocated' && is === 'True');
      if (isGiven && status?.ips !== undefined && status.ips.length > 0) return status.ips;
      throw new Error(JSON.stringify(status));
    },
    podDeadlineMs,
  );

const refused = (name: string, reason: string): Promise<boolean> =>
  explained(
    `claim ${name} to be refused`,
    async () => {
      const { status } = await getClaim(name);
      if (status?.conditions?.some((one) => one.status === 'False' && one.reason === reason)) return true;
      throw new Error(JSON.stringify(status));
    },
    podDeadlineMs,
  );

const gone = (name: string): Promise<boolean> =>
  explained(
    `claim ${name} to be gone`,
    async () => {
      const { exitCode } = await kubectl.try(['-n', namespace, 'get', 'ipamclaims', name]);
      if (exitCode === 0) throw new Error('it is there');
      return true;
    },
    podDeadlineMs,
  );

/** The kernel's word: the interface in the pod has exactly the claim's addresses. */
const expectInPod = (
  pod: Parameters<typeof story.links>[0],
  logical: string,
  ips: readonly string[],
): Promise<boolean> =>
  explained(
    `${logical} in the pod to have ${ips.join(', ')}`,
    async () => {
      const link = (await story.links(pod)).find(({ ifname }) => ifname === podInterfaceName(logical));
      const wanted = ips.map((ip) => ip.split('/')[0]).toSorted();
      if (JSON.stringify(link?.addresses.toSorted()) === JSON.stringify(wanted)) return true;
      throw new Error(JSON.stringify(link));
    },
    podDeadlineMs,
  );

const deleteVm = (name: string) => kubectl.run(['-n', namespace, 'delete', 'virtualmachine', name, '--timeout=120s']);

describe.skipIf(!canHaveVirtualMachines)('a virtual machine that keeps its addresses', () => {
  it('has the claim in its pod, over restarts and a controller that ends meanwhile, and gives it back', async () => {
    await network('keep', '10.190.1.0/29,fd00:190:1::/64');
    await machines.start('first', { node: story.node, networks: [{ name: 'net', networkName: 'keep' }] });
    const ips = await allocated('first.net');
    expect(ips).toEqual(['10.190.1.2/29', 'fd00:190:1::2/64']);
    await expectInPod(await machines.launcher('first'), 'net', ips);

    await kubectl.run(['-n', agentNamespace, 'rollout', 'restart', controllerDeployment]);
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
    await network('plug', '10.190.2.0/29');
    await machines.start('hot', { node: story.node });
    await machines.plug('hot', { name: 'late', networkName: 'plug' });
    const ips = await allocated('hot.late');
    await expectInPod(await machines.launcher('hot'), 'late', ips);
    await machines.unplug('hot', 'late');
    await gone('hot.late');
  }, 600_000);

  it('waits for an address of a network that is full, and gets the next one without help', async () => {
    await network('full', '10.190.3.0/30');
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
      await network('move', '10.190.4.0/29');
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
