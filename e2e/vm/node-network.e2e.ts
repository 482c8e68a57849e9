// The network of its node for a virtual machine, beside the real virt-controller, whose schema has no such network: asked for in an
// annotation, guarded by the verb `use` for who asks and for the controller that plugs it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { turnAdmissionOff, turnAdmissionOn } from '../admission/admission-gate.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, hasTwoNodes, withNamespace } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { bridgeNetwork, type Network, nodeNetwork } from '../networks.ts';
import { makePerson, type Person } from '../person.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { podInterfaceName } from './vm-objects.ts';

const story = withNamespace('vm-nodenet', 86);
const machines = withVirtualMachines(story);
const { kubectl, namespace } = story;
const KEY = 'dynamic-networks.io/networks';
const mac = '02:00:00:00:00:01';
const lan = JSON.stringify([{ name: 'lan', nodeNetwork: {}, macAddress: mac }]);
const LAN = podInterfaceName('lan');

const bind = async (name: string, subject: object, rules: readonly object[]): Promise<void> => {
  const metadata = { name, namespace };
  await kubectl.apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules });
  await kubectl.apply({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [subject],
  });
};
const userOf = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
const controller = { kind: 'ServiceAccount', name: 'dynamic-networks-controller', namespace: agentNamespace };
const mayUse = {
  ...{ apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'] },
  ...{ resourceNames: ['node-network'], verbs: ['use'] },
};
/** Two users, so that nobody's rights change: an answer about a right is remembered for some seconds. */
const annotate = (name: string, value: string, user: 'anna' | 'bert' = 'anna') =>
  kubectl.try([`--as=${user}`, '-n', namespace, 'annotate', 'virtualmachine', name, '--overwrite', `${KEY}=${value}`]);
const eventsOf = async (name: string, reason: string): Promise<string> => {
  const selector = `involvedObject.name=${name},reason=${reason}`;
  return kubectl.run([
    '-n',
    namespace,
    'get',
    'events',
    '--field-selector',
    selector,
    '-o',
    'jsonpath={.items[*].message}',
  ]);
};

describe.skipIf(!canHaveVirtualMachines || !hasTwoNodes)('a virtual machine on the network of its node', () => {
  let network: Network;
  let blue: Network;
  let anna: Person;
  beforeAll(async () => {
    anna = await makePerson({ kubectl, namespace, user: 'anna' });
    network = await story.network(nodeNetwork, 'node-network');
    blue = await story.network(bridgeNetwork, 'blue');
    await turnAdmissionOn(kubectl, 'enforce', { others: ['node-network'] });
    const edits = { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'patch'] };
    await bind('anna', userOf('anna'), [edits, mayUse]);
    await bind('bert', userOf('bert'), [edits]);
    // Whatever virt-controller plugs by itself it plugs in its own name: here it is an administrator.
    await machines.start('vm-a');
  }, 300_000);
  afterAll(async () => {
    await anna.leaves();
    await turnAdmissionOff(kubectl);
  }, 300_000);

  it('is refused to who may not use it, with the exact reason; and so is what cannot be read', async () => {
    const refused = await annotate('vm-a', lan, 'bert');
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        `admission webhook "machines.dynamic-networks.io" denied the request: user "bert" may not use network ${network.fullName}: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "node-network" in namespace "${namespace}" is needed`,
      ),
    ]);
    expect((await annotate('vm-a', '[{"name":"lan"}]', 'bert')).stderr).toContain(
      'must have the source "nodeNetwork": {}',
    );
  });

  it('is plugged for who may, once the controller may too, and KubeVirt does not mind', async () => {
    await anna.types(documented.annotateMachine);
    await explained(
      'the machine to tell that the controller may not',
      async () => {
        expect(await eventsOf('vm-a', 'NetworkForbidden')).toContain(`may not use network ${network.fullName}`);
        return true;
      },
      30_000,
    );
    await bind('controller-use', controller, [mayUse]);
    const pod = await machines.launcher('vm-a');
    const links = await story.expectInterfaces(pod, { [LAN]: network }, 60_000);
    expect(links).toMatchObject([{ mac }]);
    await machines.expectStatus('vm-a', []);
  });

  it('stays while KubeVirt plugs another network, and follows a migration to the network of the other node', async () => {
    const pod = await machines.launcher('vm-a');
    const link = async () => (await story.links(pod)).find(({ ifname }) => ifname === LAN);
    const before = await link();
    await machines.plug('vm-a', { name: 'blue', networkName: 'blue' });
    const wanted = { [LAN]: network, [podInterfaceName('blue')]: blue };
    await story.expectInterfaces(pod, wanted);
    // The very interface: KubeVirt has written the annotation anew, without it.
    expect(await link()).toEqual(before);
    const target = await machines.startMigration('vm-a');
    await story.expectInterfaces(target, wanted);
    await machines.finishMigration('vm-a');
    await story.expectInterfaces(await machines.launcher('vm-a'), wanted);
  });

  it('is unplugged with the annotation', async () => {
    expect(await annotate('vm-a', '')).toMatchObject({ exitCode: 0 });
    await machines.expectNetworks('vm-a', { blue });
  });
});
