// The doctor on a cluster that is well, and what it says when something is not.
import { beforeAll, describe, expect, it } from 'vitest';
import { controllers, controllersReady } from '../controllers.ts';
import { explained } from '../expectations.ts';
import { hasNodeAccess, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { withDnet } from './dnet.ts';

const story = withNamespace('doctor', 100);
const { dnet, json } = withDnet(story.namespace);

type Finding = { check: string; level: string; message: string; remedy?: string };
const findings = async (): Promise<readonly Finding[]> => (await json<{ items: Finding[] }>('doctor')).items;
const of = (all: readonly Finding[], check: string) => all.filter((finding) => finding.check === check);

/** Agents remember for some seconds how their parts are. */
const eventually = (what: string, check: (all: readonly Finding[]) => void): Promise<readonly Finding[]> =>
  explained(
    what,
    async () => {
      const all = await findings();
      check(all);
      return all;
    },
    60_000,
  );

/**
 * A node that starts anew ends its sandboxes before its Multus runs, which then gives back nothing of the cluster's own network. Stories
 * that restart nodes leave that behind; what the doctor says of it helps.
 */
const giveBackWhatMultusLost = async (): Promise<void> => {
  const [finding] = of(await findings(), 'host-local addresses');
  const lost = (finding?.message ?? '').matchAll(/(?<address>[\d.]+) of default-network on node (?<node>[\w-]+)/g);
  for (const { groups } of lost) {
    const file = `/var/lib/cni/networks/default-network/${groups?.['address']}`;
    await story.host(groups?.['node'] ?? '').run(['rm', file]);
  }
};

beforeAll(async () => {
  if (hasNodeAccess) await giveBackWhatMultusLost();
});

describe('kubectl dnet doctor', () => {
  it('finds no failure on a cluster that is well', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const pod = await story.startPod('web');
    await story.annotate(pod, 'blue@hot0');
    await story.expectInterfaces(pod, { hot0: blue });
    const { exitCode, stdout } = await dnet('doctor');
    expect(stdout).not.toContain('FAIL');
    expect(exitCode).toBe(0);
    const all = await findings();
    const ok = all.filter(({ level }) => level === 'ok').map(({ check }) => check);
    expect(ok).toEqual(
      expect.arrayContaining([
        'API server',
        'Multus definitions',
        'agents',
        'controller',
        'rights of the agents',
        'webhook certificate',
        'host-local addresses',
      ]),
    );
    // Events on nodes tell for an hour of what went wrong, which other stories make happen; nothing is wrong now.
    const now = of(all, 'ledger').filter(({ message }) => !/^node \S+: (LedgerCorrupt|ReleaseFailing): /.test(message));
    expect(now.filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  it('says nothing of a replica that another has replaced, however long it takes to go', async () => {
    const [replaced] = await controllers(story.kubectl);
    if (replaced === undefined) throw new Error('there is no controller');
    const inNamespace = (...args: string[]) => story.kubectl.run(['-n', replaced.namespace, ...args]);
    const hold = (finalizers: readonly string[]) =>
      inNamespace('patch', 'pod', replaced.name, '--type=merge', '-p', JSON.stringify({ metadata: { finalizers } }));
    await hold(['e2e.example.com/held']);
    try {
      await inNamespace('delete', 'pod', replaced.name, '--wait=false');
      await inNamespace('wait', `pod/${replaced.name}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s');
      await controllersReady(story.kubectl);
      const { exitCode, stdout } = await dnet('doctor');
      expect(stdout).toContain('controller: 2 of 2 ready');
      expect(stdout).not.toMatch(new RegExp(`FAIL|${replaced.name}`));
      expect(exitCode).toBe(0);
    } finally {
      await hold([]);
    }
  });

  it.skipIf(!hasNodeAccess)('names the node whose Multus does not answer, and what to look at', async () => {
    const node = story.clusterNode(story.node);
    expect(await node.signalContainers('multus', 'SIGSTOP')).toBe(1);
    try {
      const all = await eventually('the doctor to miss Multus', (found) =>
        expect(of(found, 'Multus socket')).toMatchObject([{ level: 'failure' }]),
      );
      const [finding] = of(all, 'Multus socket');
      expect(finding?.message).toContain(`node ${story.node}:`);
      expect(finding?.remedy).toContain('is the Multus DaemonSet running on that node');
      expect((await dnet('doctor')).exitCode).toBe(1);
    } finally {
      await node.signalContainers('multus', 'SIGCONT');
    }
    await eventually('the doctor to be content again', (found) => expect(of(found, 'Multus socket')).toEqual([]));
  });

  it('names an address of host-local that no sandbox has, and the file to remove', async () => {
    const [network, address] = [`${story.namespace}-lost`, '10.100.201.7'];
    const file = `/var/lib/cni/networks/${network}/${address}`;
    const node = story.host(story.node);
    const leak = `mkdir -p "$(dirname "$1")" && printf 'lost\\r\\nnet1' > "$1" && touch -d '-1 hour' "$1"`;
    await node.run(['sh', '-c', leak, 'sh', file]);
    try {
      const [finding] = of(await findings(), 'host-local addresses');
      expect(finding?.level).toBe('warning');
      expect(finding?.message).toContain(`${address} of ${network} on node ${story.node}`);
      expect(finding?.remedy).toContain('/var/lib/cni/networks/NETWORK/ADDRESS');
    } finally {
      await node.run(['rm', '-r', `/var/lib/cni/networks/${network}`]);
    }
    expect(of(await findings(), 'host-local addresses')).toMatchObject([{ level: 'ok' }]);
  });

  it('names an address of whereabouts that a pod has that does not exist', async () => {
    const pool = {
      apiVersion: 'whereabouts.cni.cncf.io/v1alpha1',
      kind: 'IPPool',
      metadata: { name: '10.100.200.0-24', namespace: 'kube-system' },
      spec: {
        range: '10.100.200.0/24',
        allocations: { 7: { id: 'leaked', ifname: 'net1', podref: `${story.namespace}/gone` } },
      },
    };
    const leaks = async () => of(await findings(), 'whereabouts addresses').filter(({ level }) => level === 'warning');
    await story.kubectl.apply(pool);
    try {
      const [leak] = await leaks();
      expect(leak?.message).toContain(`10.100.200.0/24 +7 (${story.namespace}/gone)`);
      expect(leak?.remedy).toContain('edit the IPPool');
    } finally {
      await story.kubectl.run(['-n', 'kube-system', 'delete', 'ippool', pool.metadata.name]);
    }
    expect(JSON.stringify(await leaks())).not.toContain('10.100.200.0');
  });
});
