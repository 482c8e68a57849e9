// Everything is removed in an order in which nothing is lost, and installed again; while machines need it, only by force.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { reinstallAgent } from '../install-agent.ts';
import { expectNothingInstalled, installedObjects } from '../installed-objects.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { withVirtualMachines } from '../vm/virtual-machines.ts';
import { podInterfaceName } from '../vm/vm-objects.ts';
import { withDnet } from './dnet.ts';

const story = withNamespace('uninstall', 99);
const machines = withVirtualMachines(story);
const { dnet } = withDnet(story.namespace);

let blue: Network;

describe.skipIf(!canHaveVirtualMachines)('kubectl dnet uninstall', () => {
  beforeAll(async () => {
    blue = await story.network(bridgeNetwork, 'blue');
  });
  afterAll(() => reinstallAgent(story.kubectl));

  it('says what it would do, gives back what was hot-plugged, and removes everything', async () => {
    const pod = await story.startPod('web', { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@made0,blue@hot0');
    await story.expectInterfaces(pod, { made0: blue, hot0: blue });
    const before = await installedObjects(story.kubectl);
    expect(before.length).toBeGreaterThan(12);

    const asked = await dnet('uninstall');
    expect(asked).toMatchObject({ exitCode: 1, stderr: 'Nothing was done. Add --yes to do it.\n' });
    expect(asked.stdout).toContain(`unplug: hot0 on ${blue.fullName} of pod ${story.namespace}/web\n`);
    expect(await installedObjects(story.kubectl)).toEqual(before);

    const done = await dnet('uninstall', '--yes');
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    const removed = [...done.stdout.matchAll(/^removed (\w+)/gm)].map(([, kind]) => kind);
    expect([...new Set(removed)]).toEqual([
      'Deployment',
      'DaemonSet',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ClusterRoleBinding',
      'ClusterRole',
      'Namespace',
    ]);
    await expectNothingInstalled(story.kubectl);
    await story.expectAddresses(blue, 1);
    expect((await story.links(pod)).map(({ ifname }) => ifname).toSorted()).toEqual(['eth0', 'made0']);
    expect(await story.ledgerOf(pod.node)).toEqual([]);

    await reinstallAgent(story.kubectl);
    await story.annotate(pod, 'blue@made0,blue@again0');
    await story.expectInterfaces(pod, { made0: blue, again0: blue });
  });

  it('refuses while a virtual machine needs it, and leaves that one as it is when it is forced', async () => {
    await machines.start('vm', { node: story.node });
    await machines.plug('vm', { name: 'extra', networkName: 'blue' });
    const before = await machines.expectNetworks('vm', { extra: blue });

    const refused = await dnet('uninstall', '--yes');
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stdout).toContain(
      `needed: virtual machine ${story.namespace}/vm uses ${podInterfaceName('extra')} on ${blue.fullName}`,
    );
    expect(refused.stderr).toContain('error: it is still needed');
    expect(await installedObjects(story.kubectl)).toContain('daemonset.apps/dynamic-networks-agent');
    expect(await machines.expectNetworks('vm', { extra: blue })).toEqual(before);

    const forced = await dnet('uninstall', '--yes', '--force', '--timeout', '2s');
    expect(forced).toMatchObject({ exitCode: 0 });
    await expectNothingInstalled(story.kubectl);
    expect(await machines.expectNetworks('vm', { extra: blue })).toEqual(before);

    await reinstallAgent(story.kubectl);
    await machines.unplug('vm', 'extra');
    await machines.expectNetworks('vm', {});
  });
});
