// Namespace isolation as the real Multus defines it: its own configuration is changed, and the agents follow without being told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { hasNodeAccess, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { changeMultus } from '../multus-settings.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import type { PodRef } from '../pods.ts';
import { storyLabels } from '../target.ts';

const story = withNamespace('isolation', 81);
const tenant = `${story.namespace}-tenant`;

/** What the agent on the node saw last of Multus' rules. */
const expectKnown = (isNamespaceIsolated: boolean): Promise<unknown> =>
  explained(
    `the agent to know that namespaces are ${isNamespaceIsolated ? '' : 'not '}isolated`,
    async () => {
      const known = await story.clusterNode(story.node).run(['cat', '/var/lib/dynamic-networks/multus-rules']);
      expect(JSON.parse(known)).toMatchObject({ isNamespaceIsolated });
      return true;
    },
    plugDeadlineMs,
  );

const expectReport = (pod: PodRef, report: object): Promise<unknown> =>
  explained(
    `${pod.name} to report ${JSON.stringify(report)}`,
    async () => {
      expect(await story.reports(pod)).toEqual(expect.arrayContaining([expect.objectContaining(report)]));
      return true;
    },
    plugDeadlineMs,
  );

describe.skipIf(!hasNodeAccess)('namespace isolation', () => {
  let theirs: Network;
  let own: Network;

  beforeAll(async () => {
    await story.kubectl.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenant, labels: storyLabels } });
    const place = { story: 'isolation', namespace: tenant, prefix: '10.81.9.' };
    theirs = await story.network((name) => bridgeNetwork(name, place), 'theirs');
    own = await story.network(bridgeNetwork, 'own');
  });

  afterAll(async () => {
    await changeMultus(story.kubectl, { namespaceIsolation: undefined, globalNamespaces: undefined });
    await expectKnown(false);
    await story.kubectl.run(['delete', 'namespace', tenant, '--wait=false']);
  });

  it('is followed: what is plugged stays, what is asked for later is refused, and plugged when the rule goes', async () => {
    const [early, late] = await Promise.all([story.startPod('early'), story.startPod('late')]);
    await story.annotate(early, `${tenant}/theirs@t0`);
    await story.expectInterfaces(early, { t0: theirs });

    await changeMultus(story.kubectl, { namespaceIsolation: true, globalNamespaces: 'kube-system' });
    await expectKnown(true);
    await story.annotate(early, `${tenant}/theirs@t0,own@o0`);
    await story.expectInterfaces(early, { t0: theirs, o0: own });
    await story.expectCondition(early, 'True', 'AllReady');

    await story.annotate(late, `${tenant}/theirs@t0,own@o0`);
    await story.expectInterfaces(late, { o0: own });
    await story.expectCondition(late, 'False', 'NetworkForbidden');
    await expectReport(late, { interface: 't0', ready: false, reason: 'NetworkForbidden' });
    expect(await story.expectEvent(late, 'NetworkForbidden', /namespaceIsolation/)).toMatchObject({ count: 1 });

    await changeMultus(story.kubectl, { namespaceIsolation: false });
    await story.expectInterfaces(late, { t0: theirs, o0: own });
    await story.expectCondition(late, 'True', 'AllReady');
  });

  it('heals when the annotation changes', async () => {
    await changeMultus(story.kubectl, { namespaceIsolation: true, globalNamespaces: 'kube-system' });
    await expectKnown(true);
    const pod = await story.startPod('edited');
    await story.annotate(pod, `${tenant}/theirs@t0`);
    await story.expectCondition(pod, 'False', 'NetworkForbidden');
    await story.annotate(pod, 'own@t0');
    await story.expectInterfaces(pod, { t0: own });
  });

  it('holds for an agent that starts while the file of Multus is not there', async () => {
    await changeMultus(story.kubectl, { namespaceIsolation: true, globalNamespaces: 'kube-system' });
    await expectKnown(true);
    const node = story.clusterNode(story.node);
    const pod = await story.startPod('restarted');
    await node.run(['rm', '/etc/cni/net.d/00-multus.conf']);
    try {
      expect(await node.signalContainers('agent', 'SIGKILL')).toBeGreaterThan(0);
      await story.annotate(pod, `${tenant}/theirs@t0,own@o0`);
      await story.expectInterfaces(pod, { o0: own });
      await expectReport(pod, { interface: 't0', ready: false, reason: 'NetworkForbidden' });
    } finally {
      await changeMultus(story.kubectl, { namespaceIsolation: true });
    }
  });

  it('forbids exactly what Multus itself forbids at the creation of a pod', async () => {
    await changeMultus(story.kubectl, { namespaceIsolation: true, globalNamespaces: 'kube-system' });
    await expectKnown(true);
    await story.createPod('refused', { networks: `${tenant}/theirs@t0` });
    await explained(
      'Multus to refuse the pod',
      async () => {
        const events = await story.kubectl.run([
          '-n',
          story.namespace,
          'get',
          'events',
          '-o',
          'jsonpath={.items[*].message}',
        ]);
        expect(events).toMatch(/namespace isolation|namespaceIsolation/i);
        return true;
      },
      plugDeadlineMs,
    );
    await story.deletePod({ name: 'refused' }, '--grace-period=0', '--force');
  });
});
