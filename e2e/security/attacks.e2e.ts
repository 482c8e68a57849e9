// What somebody tries who may edit a pod, write a network, or reach a node's disk. docs/threat-model.md has the whole list, with
// what is tested elsewhere. Each attack is followed by something ordinary, which must work.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { countApiRequests } from '../agent-metrics.ts';
import { readAuditLog } from '../audit-log.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { say } from '../cluster/progress.ts';
import { explained } from '../expectations.ts';
import { plugDeadlineMs, withNamespace } from '../fixture.ts';
import { agentDaemonSet, agentNamespace } from '../install-agent.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { networksAnnotation, type PodRef, reportsAnnotation, statusAnnotation } from '../pods.ts';
import { rage } from './edit-storm.ts';

const story = withNamespace('attacks', 83);
const target = inject('target');

let blue: Network;
let victim: PodRef;
beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  victim = await story.startPod('victim');
  await story.annotate(victim, 'blue@v0');
  await story.expectInterfaces(victim, { v0: blue });
});

const defineNetwork = (name: string, config: object): Promise<string> =>
  story.kubectl.apply({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace: story.namespace },
    spec: { config: JSON.stringify(config) },
  });
const expectReason = (pod: PodRef, iface: string, reason: string): Promise<unknown> =>
  explained(
    `${iface} of ${pod.name} to be ${reason}`,
    async () => {
      expect(await story.reports(pod)).toEqual(
        expect.arrayContaining([expect.objectContaining({ interface: iface, ready: false, reason })]),
      );
      return true;
    },
    plugDeadlineMs,
  );

describe('names of networks', () => {
  it.each<[string, string]>([
    ['a path upwards', '../blue@x0'],
    ['a path through the namespace', 'kube-system/../default/blue@x0'],
    ['an encoded slash', 'kube-system%2Fblue@x0'],
    ['an encoded slash in a namespace', JSON.stringify([{ name: 'blue', namespace: '..%2f..', interface: 'x0' }])],
    ['a query', JSON.stringify([{ name: 'blue?watch=1', interface: 'x0' }])],
    ['a Cyrillic look-alike', 'blu\u0435@x0'],
    ['wide letters', '\uff42\uff4c\uff55\uff45@x0'],
    ['an invisible character', 'bl\u200bue@x0'],
    ['a zero byte', JSON.stringify([{ name: 'blue\u0000', interface: 'x0' }])],
  ])('that are tricks are refused, and nothing changes: %s', async (_, text) => {
    await story.annotatePod(victim, { [networksAnnotation]: text });
    await story.expectCondition(victim, 'False', 'InvalidNetworks');
    await story.expectInterfaces(victim, { v0: blue });
    await story.annotatePod(victim, { [networksAnnotation]: 'blue@v0' });
    await story.expectCondition(victim, 'True', 'AllReady');
  });

  it('of namespaces that do not exist lead nowhere', async () => {
    await story.annotate(victim, `blue@v0,no-such-${story.namespace}/blue@x0`);
    await expectReason(victim, 'x0', 'NetworkNotFound');
    await story.annotate(victim, 'blue@v0');
    await story.expectCondition(victim, 'True', 'AllReady');
  });
});

describe('annotations', () => {
  it.each<[string, () => string]>([
    ['of 250 KiB that mean nothing', () => `[${'"x",'.repeat(62_000)}"x"]`],
    ['with 6,000 networks', () => Array.from({ length: 6000 }, (_, index) => `blue@i${index}`).join(',')],
    ['with one name of 250 KiB', () => 'b'.repeat(250_000)],
    ['of 100,000 levels', () => '['.repeat(100_000)],
  ])('%s are refused in few words, and heal', async (_, text) => {
    await story.annotatePod(victim, { [networksAnnotation]: text() });
    const { message = '' } = await story.expectCondition(victim, 'False', 'InvalidNetworks');
    expect(message.length).toBeLessThan(2000);
    await story.expectInterfaces(victim, { v0: blue });
    await story.annotatePod(victim, { [networksAnnotation]: 'blue@v0' });
    await story.expectCondition(victim, 'True', 'AllReady');
  });

  it.each(['eth0', 'lo'])('cannot take %s', async (name) => {
    await story.annotate(victim, `blue@v0,blue@${name}`);
    await expectReason(victim, name, 'InterfaceNameTaken');
    await story.expectInterfaces(victim, { v0: blue });
    await story.annotate(victim, 'blue@v0');
    await story.expectCondition(victim, 'True', 'AllReady');
  });

  it.each([
    ['another variable', 'x0;CNI_NETNS=/proc/1/ns/net'],
    ['a path', '../x0'],
    ['a new line', 'x0\ny0'],
    ['a space', 'x 0'],
  ])('cannot smuggle %s in with an interface name', async (_, name) => {
    await story.annotate(victim, [
      { name: 'blue', interface: 'v0' },
      { name: 'blue', interface: name },
    ]);
    await story.expectCondition(victim, 'False', 'InvalidNetworks');
    await story.expectInterfaces(victim, { v0: blue });
    await story.annotate(victim, 'blue@v0');
    await story.expectCondition(victim, 'True', 'AllReady');
  });

  it('with arguments that name another pod are data for the plugin, and act on their own pod only', async () => {
    const pod = await story.startPod('impostor');
    const args = { K8S_POD_NAME: victim.name, K8S_POD_UID: victim.uid, CNI_NETNS: '/proc/1/ns/net' };
    await story.annotate(pod, [{ name: 'blue', interface: 'x0', 'cni-args': args }]);
    await story.expectInterfaces(pod, { x0: blue });
    await story.expectInterfaces(victim, { v0: blue });
  });
});

describe('configs of networks', () => {
  it.each<[string, object]>([
    ['the path of a program', { type: '/bin/sh' }],
    ['a path out of the directory of plugins', { type: '../../../bin/sh' }],
    ['a path as the plugin for addresses', { type: 'bridge', bridge: 'evil0', ipam: { type: '/tmp/evil' } }],
  ])('with %s are never sent to Multus', async (_, config) => {
    await defineNetwork('evil', { cniVersion: '0.3.1', name: 'evil', ...config });
    await story.annotate(victim, 'blue@v0,evil@x0');
    await expectReason(victim, 'x0', 'InvalidNetworkConfig');
    await story.expectInterfaces(victim, { v0: blue });
    await story.annotate(victim, 'blue@v0');
    await story.expectCondition(victim, 'True', 'AllReady');
  });

  it('with a plugin that does not exist, and variables for its environment, fail alone, and are undone once there is one', async () => {
    const plugin = 'e2e-no-such-plugin';
    const environment = { env: { PATH: '/tmp' }, environment: ['LD_PRELOAD=/tmp/x'] };
    await defineNetwork('broken', { cniVersion: '0.3.1', name: 'broken', type: plugin, ...environment });
    await story.annotate(victim, 'broken@x0,blue@v0,blue@w0');
    await expectReason(victim, 'x0', 'FailedAddingInterface');
    await story.expectInterfaces(victim, { v0: blue, w0: blue });
    await story.annotate(victim, 'blue@v0');
    await story.expectInterfaces(victim, { v0: blue });
    // Nobody can tell whether the plugin did something before it was gone: DEL is tried until it is there.
    const node = story.host(story.node);
    const seen = `/tmp/${plugin}.env`;
    const script = `#!/bin/sh\nenv > ${seen}\n`;
    await node.run(['sh', '-c', `printf '${script}' > /opt/cni/bin/${plugin}; chmod 755 /opt/cni/bin/${plugin}`]);
    try {
      await explained(
        'the ledger to be rid of x0',
        async () => {
          const record = (await story.ledgerOf(story.node)).find(({ uid }) => uid === victim.uid);
          expect(record?.attachments.map((one) => one.interface)).toEqual(['v0']);
          return true;
        },
        100_000,
      );
      const variables = await node.run(['cat', seen]);
      expect(variables).toContain('CNI_COMMAND=DEL');
      expect(variables).not.toMatch(/LD_PRELOAD|^PATH=\/tmp$/m);
    } finally {
      await node.run(['rm', '-f', `/opt/cni/bin/${plugin}`, seen]);
    }
  }, 180_000);
});

describe('what the agent wrote, written by somebody else', () => {
  it('a faked report is put right', async () => {
    const pod = await story.startPod('faker');
    await story.annotatePod(pod, {
      [reportsAnnotation]: JSON.stringify([{ interface: 'x0', network: 'a/b', ready: true, since: 'today' }]),
      [networksAnnotation]: 'blue@x1',
    });
    await story.expectInterfaces(pod, { x1: blue });
    await explained(
      'the report to tell the truth',
      async () => {
        expect(await story.reports(pod)).toEqual([expect.objectContaining({ interface: 'x1', ready: true })]);
        return true;
      },
      plugDeadlineMs,
    );
  });

  it('a forged network-status does not cut the pod off, nor anybody else', async () => {
    const pod = await story.startPod('forger');
    const status = (await story.getPod(pod)).metadata.annotations?.[statusAnnotation] ?? '';
    const forged = [{ name: blue.fullName, interface: 'eth0', ips: ['10.83.0.99'], dns: {} }];
    await story.annotatePod(pod, { [statusAnnotation]: JSON.stringify(forged), [networksAnnotation]: 'blue@x0' });
    await explained(
      'x0 to be plugged beside eth0',
      async () => {
        const names = (await story.links(pod)).map(({ ifname }) => ifname);
        expect(names).toEqual(expect.arrayContaining(['eth0', 'x0']));
        return true;
      },
      plugDeadlineMs,
    );
    await story.annotatePod(pod, { [networksAnnotation]: null });
    await explained(
      'x0 to be gone, and eth0 to stay',
      async () => {
        expect((await story.links(pod)).map(({ ifname }) => ifname).filter((name) => name !== 'lo')).toEqual(['eth0']);
        return true;
      },
      plugDeadlineMs,
    );
    await story.annotatePod(pod, { [statusAnnotation]: status });
    await story.expectInterfaces(victim, { v0: blue });
  });

  it('an unreadable network-status stops work on that pod, until it is restored', async () => {
    const pod = await story.startPod('unreadable');
    const status = (await story.getPod(pod)).metadata.annotations?.[statusAnnotation] ?? '';
    await story.annotatePod(pod, { [statusAnnotation]: '{"', [networksAnnotation]: 'blue@x0' });
    await story.expectCondition(pod, 'False', 'StatusUnreadable');
    await story.annotatePod(pod, { [statusAnnotation]: status });
    await story.expectInterfaces(pod, { x0: blue });
  });

  it('forged and linked ledger files are set aside, and what they name is not touched', async () => {
    const node = story.host(story.node);
    const forged = {
      version: 1,
      namespace: 'kube-system',
      name: 'x',
      uid: '../../../etc/passwd',
      sandboxMark: '',
      attachments: [],
    };
    const files = { 'forged.json': JSON.stringify(forged), 'half.json': '{"version":1,' };
    for (const [file, content] of Object.entries(files)) {
      await node.run(['sh', '-c', 'printf %s "$2" > "/var/lib/dynamic-networks/$1"', 'sh', file, content]);
    }
    await node.run(['ln', '-sf', '/etc/hostname', '/var/lib/dynamic-networks/linked.json']);
    const before = await node.run(['cat', '/etc/hostname']);
    await node.signalContainers('agent', 'SIGKILL');
    const count = 'cd /var/lib/dynamic-networks; ls | grep -cE "^(forged|half|linked)\\.json\\.corrupt-"; ls -d *.json';
    await explained(
      'the three files to be set aside',
      async () => {
        const listing = await node.run(['sh', '-c', count]);
        expect(listing).toMatch(/^3\b/);
        expect(listing).not.toMatch(/forged|half|linked/);
        return true;
      },
      plugDeadlineMs,
    );
    expect(await node.run(['cat', '/etc/hostname'])).toBe(before);
    await explained(
      'the node to tell of it',
      async () => {
        const args = ['-n', 'default', 'get', 'events', '--field-selector', 'reason=LedgerCorrupt', '-o', 'name'];
        expect(await story.kubectl.run(args)).not.toBe('');
        return true;
      },
      plugDeadlineMs,
    );
    await node.run(['sh', '-c', 'rm /var/lib/dynamic-networks/*.corrupt-*']);
    await story.annotate(victim, 'blue@v0,blue@w0');
    await story.expectInterfaces(victim, { v0: blue, w0: blue });
    await story.annotate(victim, 'blue@v0');
    await story.expectInterfaces(victim, { v0: blue });
  });
});

describe('a link in the place of the ledger directory', () => {
  const [ledger, elsewhere] = ['/var/lib/dynamic-networks', '/var/lib/e2e-elsewhere'];
  const restartAgent = async (): Promise<void> => {
    const { name } = await story.agentPod(story.node);
    await story.kubectl.run(['-n', agentNamespace, 'delete', 'pod', name, '--timeout=60s']);
    await story.kubectl.run([
      '-n',
      agentNamespace,
      'rollout',
      'status',
      `daemonset/${agentDaemonSet}`,
      '--timeout=60s',
    ]);
  };

  it('is followed by the kubelet, so that the agent works with what it points at: nothing is lost, and nothing else is touched', async () => {
    const node = story.host(story.node);
    await node.run([
      'sh',
      '-c',
      `mv ${ledger} ${elsewhere} && ln -s ${elsewhere} ${ledger} && touch ${elsewhere}/stranger`,
    ]);
    try {
      await restartAgent();
      await story.annotate(victim, 'blue@v0,blue@w0');
      await story.expectInterfaces(victim, { v0: blue, w0: blue });
      await story.annotate(victim, 'blue@v0');
      await story.expectInterfaces(victim, { v0: blue });
      expect(await node.run(['ls', elsewhere])).toMatch(/^stranger$/m);
    } finally {
      await node.run(['sh', '-c', `rm ${ledger} ${elsewhere}/stranger; mv ${elsewhere} ${ledger}`]);
      await restartAgent();
    }
    await story.expectInterfaces(victim, { v0: blue });
  });
});

describe('an answer of Multus about another sandbox', () => {
  const plugin = '/opt/cni/bin/e2e-liar';
  /** A bridge that says that it worked elsewhere: Multus passes on what it says. */
  const liar = [
    '#!/bin/sh',
    'answer=$(/opt/cni/bin/bridge) || exit',
    `printf %s "$answer" | sed 's#"sandbox": *"[^"]*"#"sandbox": "/var/run/netns/somebody-else"#'`,
    '',
  ].join('\n');

  it('is a failure, is undone with its address, and heals', async () => {
    const node = story.host(story.node);
    const lying = await story.network(bridgeNetwork, 'lying');
    const honest = JSON.parse(lying.config);
    await node.run(['sh', '-c', 'printf %s "$1" > "$2" && chmod 755 "$2"', 'sh', liar, plugin]);
    try {
      await defineNetwork('lying', { ...honest, type: 'e2e-liar' });
      await story.annotate(victim, 'blue@v0,lying@x0');
      await expectReason(victim, 'x0', 'FailedAddingInterface');
      const reports = await story.reports(victim);
      expect(reports.find((report) => report.interface === 'x0')?.message).toMatch(/another sandbox/);
      await story.expectInterfaces(victim, { v0: blue });
      await story.expectAddresses(lying, 0);
      await defineNetwork('lying', honest);
      await story.expectInterfaces(victim, { v0: blue, x0: lying });
    } finally {
      await story.annotate(victim, 'blue@v0');
      await story.expectInterfaces(victim, { v0: blue });
      await node.run(['rm', plugin]);
    }
  });
});

describe('a storm of edits on one pod', () => {
  const limits = { maxEdits: 5000, maxMs: 5000, attackers: 4 };
  const textOf = (edit: number): string => (edit % 2 === 0 ? 'blue@s0' : `blue@s0,blue@t${edit % 10}`);

  type Asked = { readonly all: number; readonly writes: number; readonly events: number };

  /** What accounts of the product ask for, writes of this pod among it, by the API server's own account. */
  const readAsked = async (cluster: ClusterState, pod: PodRef, began: string): Promise<Asked> => {
    const asked = (await readAuditLog(cluster)).filter(({ requestReceivedTimestamp: at }) => at > began);
    return {
      all: asked.length,
      writes: asked.filter(({ verb, objectRef }) => verb === 'patch' && objectRef?.name === pod.name).length,
      events: asked.filter(({ objectRef }) => objectRef?.resource === 'events').length,
    };
  };
  /** Where nobody can read that, what the agent of the pod's node counts: writes of its other pods are among them. */
  const subtract = (after: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>): Asked => {
    const since = (method: string): number => (after[method] ?? 0) - (before[method] ?? 0);
    const all = Object.keys(after).reduce((sum, method) => sum + since(method), 0);
    return { all, writes: since('PATCH'), events: since('POST') };
  };
  const startCounting = async (pod: PodRef): Promise<() => Promise<Asked>> => {
    const { clusterState } = target;
    if (clusterState !== undefined) {
      const began = new Date().toISOString();
      return () => readAsked(clusterState, pod, began);
    }
    const agent = await story.agentPod(pod.node);
    const before = await countApiRequests(story.kubectl, agent);
    return async () => subtract(await countApiRequests(story.kubectl, agent), before);
  };

  it('does not starve others, nor reach the API server through the agent', async () => {
    const [stormy, ...calm] = await Promise.all(
      ['stormy', 'calm-1', 'calm-2', 'calm-3'].map((name) => story.startPod(name)),
    );
    if (stormy === undefined) throw new Error('no pod');
    const countAsked = await startCounting(stormy);
    const raging = rage(story.api, stormy, textOf, limits);
    const plugBegan = performance.now();
    const plugged = Promise.all(
      calm.map(async (pod) => {
        await story.annotate(pod, 'blue@c0');
        await story.expectInterfaces(pod, { c0: blue });
        return performance.now() - plugBegan;
      }),
    );
    const { taken, refused, durationMs } = await raging;
    const seconds = durationMs / 1000;
    const { all, writes, events } = await countAsked();
    const calmMs = Math.max(...(await plugged));
    const told =
      `${taken} edits in ${seconds.toFixed(1)} s, ${Math.round(taken / seconds)} a second (refused: ${JSON.stringify(refused)}); ` +
      `${all} requests of the product, ${writes} writes of that pod, ${events} events; others plugged after ${Math.round(calmMs)} ms`;
    say(told);
    await story.annotate(stormy, 'blue@s0');
    await story.expectInterfaces(stormy, { s0: blue });

    // How fast an API server takes edits of one object is its own limit; a thousand a second are in src/integration/edit-storm.test.ts.
    expect(taken, told).toBeGreaterThan(50);
    expect(writes, told).toBeLessThan(taken / 2);
    // One write for a whole pass over the pod, however many edits came meanwhile: what a pass has to do takes longer than 20 ms.
    expect(writes / seconds, told).toBeLessThan(50);
    // At most 25 events at once on one object, and one more every 5 minutes.
    expect(events, told).toBeLessThan(100);
    // The pods that nobody attacks: as if there were no storm, but for a machine that is busy.
    expect(calmMs, told).toBeLessThan(limits.maxMs);
  });
});
