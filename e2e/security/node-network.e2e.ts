// The network of the nodes themselves, on two nodes whose interfaces have different names: here on a bridge, there on eth0.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inNode } from '../cluster/layout.ts';
import { explained } from '../expectations.ts';
import { hasNodeAccess, hasTwoNodes, plugDeadlineMs, withNamespace } from '../fixture.ts';
import { type Network, nodeNetwork } from '../networks.ts';
import type { PodRef } from '../pods.ts';

const story = withNamespace('nodenet', 82);

type HostIps = { readonly status: { readonly hostIPs: readonly { readonly ip: string }[] } };

/** Moves the node's address, with its routes, from one interface to another. In one go: the node is cut off meanwhile. */
const moveAddress = `set -eu
from="$1"; to="$2"; address=$(ip -4 -o address show dev "$from" scope global | awk '{print $4; exit}')
ip -4 route show dev "$from" | grep -v 'proto kernel' | sed 's/ linkdown//' > /tmp/routes
ip address del "$address" dev "$from"; ip address add "$address" brd + dev "$to"
while read -r route; do ip route replace $route dev "$to"; done < /tmp/routes`;
const bridgeUp =
  'ip link add br-node type bridge forward_delay 0; ip link set br-node up; ip link set eth0 master br-node';
const bridgeDown = 'ip link set eth0 nomaster';

describe.skipIf(!hasNodeAccess || !hasTwoNodes)('the network of the nodes', () => {
  const worker = () => story.clusterNode(story.node);
  const onWorker = (script: string, ...args: string[]) => worker().run(['sh', '-c', script, 'sh', ...args]);
  let network: Network;
  /** Of the network that the nodes' containers share, as the worker has it. */
  let prefixLength = '';
  let gateway = '';
  /** High in the range: containers get low ones. */
  const addressOf = (host: number): string => `${worker().ip.split('.').slice(0, 3).join('.')}.${240 + host}`;

  /**
   * When an address moves, connections of the node break, and who has one notices half a minute later. Before the first test nobody
   * needs to wait for that.
   */
  const startAnew = async (container: 'multus' | 'agent'): Promise<void> => {
    expect(await worker().signalContainers(container, 'SIGKILL')).toBe(1);
  };
  const multusAnswers = (): Promise<boolean> =>
    explained(
      'Multus to answer',
      async () => {
        await worker().run([
          'curl',
          '-sS',
          '-o',
          '/dev/null',
          '--unix-socket',
          inNode.multusSocket,
          'http://multus/readyz',
        ]);
        return true;
      },
      plugDeadlineMs,
    );

  beforeAll(async () => {
    const facts = await onWorker('ip -4 route show default; ip -4 -o address show dev eth0');
    gateway = /via (\S+)/.exec(facts)?.[1] ?? '';
    prefixLength = /inet [\d.]+\/(\d+)/.exec(facts)?.[1] ?? '';
    await onWorker(`${bridgeUp}\n${moveAddress}`, 'eth0', 'br-node');
    await Promise.all([startAnew('multus'), startAnew('agent')]);
    await multusAnswers();
    network = await story.network(nodeNetwork, 'node-network');
  });
  // Whatever a test left half-done: the node is as the harness made it.
  afterAll(async () => {
    // Pods first: macvlan cannot be told to clean up once the interface that it was on is gone.
    await story.kubectl.run([
      ...['-n', story.namespace, 'delete', 'pods', '--all', '--grace-period=1', '--timeout=60s'],
    ]);
    await story.expectNothingLeft();
    await onWorker(
      `ip link show br-node >/dev/null 2>&1 || exit 0
      address=$(ip -4 -o address show scope global | awk '$2 == "br-node" || $2 == "eth0" {print $4; exit}')
      ip link set eth0 nomaster; ip link del br-node
      ip address replace "$address" brd + dev eth0; ip route replace default via "$1" dev eth0
      bash /etc/cluster/boot.sh`,
      gateway,
    );
  });

  const join = async (pod: PodRef, host: number): Promise<string> => {
    const address = addressOf(host);
    await story.exec(pod, ['ip', 'address', 'add', `${address}/${prefixLength}`, 'dev', 'lan0']);
    return address;
  };
  const expectReach = (pod: PodRef, address: string) =>
    explained(
      `${pod.name} to reach ${address}`,
      async () => {
        await story.exec(pod, ['ping', '-c', '1', '-W', '1', '-I', 'lan0', address]);
        return true;
      },
      plugDeadlineMs,
    );
  const masterOf = async (pod: PodRef): Promise<string> => {
    const file = `/var/lib/dynamic-networks/${pod.uid}.json`;
    const record: { attachments: { config: string }[] } = JSON.parse(
      await story.clusterNode(pod.node).run(['tail', '-n', '1', file]),
    );
    const config: { master: string } = JSON.parse(record.attachments[0]?.config ?? '{}');
    return config.master;
  };
  const plug = async (name: string, node = story.node): Promise<PodRef> => {
    const pod = await story.startPod(name, { node, isNetAdmin: true });
    await story.annotate(pod, 'node-network@lan0');
    await story.expectInterfaces(pod, { lan0: network });
    return pod;
  };

  it('joins two pods on different nodes, with each other and with the neighbours of the nodes', async () => {
    const [here, there] = await Promise.all([plug('here'), plug('there', story.otherNode)]);
    expect([await masterOf(here), await masterOf(there)]).toEqual(['br-node', 'eth0']);
    const [hereIp, thereIp] = [await join(here, 1), await join(there, 2)];
    await expectReach(here, thereIp);
    await expectReach(there, hereIp);
    await expectReach(here, gateway);
    await expectReach(there, gateway);
    await expectReach(here, story.clusterNode(story.otherNode).ip);
  });

  it('gives the MAC that the element asks for', async () => {
    const mac = '02:00:00:00:82:01';
    const pod = await story.startPod('mac');
    await story.annotate(pod, [{ name: 'node-network', interface: 'lan0', mac }]);
    expect(await story.expectInterfaces(pod, { lan0: network })).toMatchObject([{ mac }]);
  });

  it('is attached by Multus itself when a pod is made with it', async () => {
    const pod = await story.startPod('made', { networks: 'node-network@lan0', isNetAdmin: true });
    await story.expectInterfaces(pod, { lan0: network });
    await join(pod, 3);
    await expectReach(pod, gateway);
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});
  });

  it('is not guessed: where two interfaces are on the network, the plug fails with the reason, and heals', async () => {
    await onWorker(
      `ip link add dup0 type bridge; ip link set dup0 up; ip address add ${addressOf(9)}/${prefixLength} brd + dev dup0`,
    );
    const pod = await story.startPod('doubtful');
    try {
      await story.annotate(pod, 'node-network@lan0');
      await story.expectCondition(pod, 'False', 'NodeNetworkNotFound');
      await story.expectEvent(pod, 'NodeNetworkNotFound', /br-node and dup0|dup0 and br-node/);
      await story.expectInterfaces(pod, {});
    } finally {
      await onWorker('ip link del dup0');
    }
    await story.expectInterfaces(pod, { lan0: network });
  });

  describe('whose address is IPv6, here on a veth', () => {
    const address = 'fd00:82::2';
    const kubelet = '/etc/cluster/services/kubelet';
    /** The kubelet tells the addresses of its node, and every pod of it, so the agent too. */
    const tellAddresses = async (script: string, addresses: readonly string[]): Promise<void> => {
      await onWorker(script);
      await worker().restartService('kubelet');
      await explained(
        `the agent to know the node's addresses as ${addresses.join(' and ')}`,
        async () => {
          const { name, namespace } = await story.agentPod(story.node);
          const { status } = await story.kubectl.getJson<HostIps>(['-n', namespace, 'pod', name]);
          expect(status.hostIPs.map(({ ip }) => ip)).toEqual(addresses);
          return true;
        },
        120_000,
      );
    };

    beforeAll(async () => {
      await onWorker(
        `ip link del v6-node 2>/dev/null || true
        ip link add v6-node type veth peer name v6-peer; ip link set v6-node up; ip link set v6-peer up
        echo 0 > /proc/sys/net/ipv6/conf/v6-node/disable_ipv6
        ip address add ${address}/64 dev v6-node nodad
        ip link add dup0 type bridge; ip link set dup0 up; ip address add ${addressOf(8)}/${prefixLength} brd + dev dup0`,
      );
      // The folder of the node's services cannot be written from here.
      const retold = `sed "s/--node-ip=[^']*/&,${address}/" ${kubelet} > /tmp/kubelet; mount --bind /tmp/kubelet ${kubelet}`;
      await tellAddresses(retold, [worker().ip, address]);
    });
    afterAll(async () => {
      await tellAddresses(`umount ${kubelet} 2>/dev/null; ip link del dup0`, [worker().ip]);
      const deletion = ['delete', 'pod', 'six', '--ignore-not-found', '--grace-period=1', '--timeout=60s'];
      await story.kubectl.run(['-n', story.namespace, ...deletion]);
      await story.expectNothingLeft();
      await onWorker('ip link del v6-node');
    });

    it('is joined where the IPv4 address is in doubt', async () => {
      const six = await plug('six');
      expect(await masterOf(six)).toBe('v6-node');
    });
  });

  it('follows an address that moves: what is plugged stays, what is plugged later is on the new interface', async () => {
    const before = await plug('before');
    await onWorker(`${bridgeDown}\n${moveAddress}`, 'br-node', 'eth0');
    const after = await plug('after');
    expect([await masterOf(before), await masterOf(after)]).toEqual(['br-node', 'eth0']);
    await story.expectInterfaces(before, { lan0: network });
    await join(after, 4);
    await expectReach(after, gateway);
  });
});
