import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from './cluster.ts';
import { bridgeConfig, delegate } from './node/delegate-client.ts';
import { formatNetworkStatus, networkStatusAnnotation, networksAnnotation } from './node/network-status.ts';

let cluster: EmbeddedCluster;
let serial = 0;

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ namespaces: ['shop'] });
  cluster.createNad({ name: 'blue', config: bridgeConfig({ name: 'blue' }) });
});
afterAll(() => cluster.stop());

const newPod = async () => {
  const ref = { namespace: 'default', name: `pod-${++serial}` };
  await cluster.createPod({ ...ref, networks: 'blue' });
  return ref;
};
const netnsOf = (ref: { namespace: string; name: string }) => cluster.kubelet.findSandbox(ref)?.netns ?? '';

describe('startEmbeddedCluster', () => {
  it('has a node, namespaces, an agent pod, files and short socket paths', () => {
    expect(cluster.objects.list('nodes').map(({ metadata }) => metadata.name)).toEqual([cluster.nodeName]);
    expect(cluster.objects.list('namespaces').map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'dynamic-networks',
      'kube-system',
      'shop',
    ]);
    const agent = cluster.pod(cluster.agentPod);
    expect(agent.metadata.name).toMatch(/^dynamic-networks-agent-[a-z0-9]{5}$/);
    expect([agent.metadata.uid, agent.status?.['phase']]).toEqual([cluster.agentPod.uid, 'Running']);
    for (const path of [cluster.kubeconfigPath, cluster.tokenPath, cluster.criSocket, cluster.multusSocket]) {
      expect(existsSync(path)).toBe(true);
      expect(path.length).toBeLessThan(100);
    }
  });

  it('leaves nothing after stop', async () => {
    const other = await startEmbeddedCluster();
    await other.stop();
    expect(existsSync(other.dir)).toBe(false);
  });

  it('can have more nodes, each with its own sockets and kernel', async () => {
    const second = await cluster.addNode('node-b');
    const pod = await cluster.createPod({ name: 'on-b', nodeName: 'node-b', networks: 'blue' });
    expect(pod.status?.['hostIP']).toBe('192.168.1.11');
    expect(second.kernel.netnsPaths()).toHaveLength(1);
    expect(cluster.links({ namespace: 'default', name: 'on-b' }).map(({ name }) => name)).toEqual(['eth0', 'net1']);
    expect(cluster.leaks()).toEqual([]);
  });

  it('edits the networks annotation, and removes it', async () => {
    const ref = await newPod();
    cluster.editNetworks(ref, [{ name: 'blue' }]);
    expect(cluster.pod(ref).metadata.annotations?.[networksAnnotation]).toBe('[{"name":"blue"}]');
    cluster.editNetworks(ref, undefined);
    expect(cluster.pod(ref).metadata.annotations?.[networksAnnotation]).toBeUndefined();
  });

  it('starts a burst of 500 pods in a moment', async () => {
    const burst = await startEmbeddedCluster();
    burst.createNad({ name: 'wide', config: bridgeConfig({ ipam: { type: 'host-local', subnet: '10.50.0.0/16' } }) });
    const start = performance.now();
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    await Promise.all(numbers.map((index) => burst.createPod({ name: `p${index}`, networks: 'wide' })));
    // About 0.3 s on an idle machine; anything quadratic takes far longer than this.
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(burst.leaks()).toEqual([]);
    await burst.stop();
  });
});

describe('until', () => {
  it('sees changes of objects, kernel and IPAM, and returns what was found', async () => {
    const ref = await newPod();
    const found = cluster.until('a hot-plugged link', () => cluster.links(ref).find(({ name }) => name === 'net7'));
    await delegate(cluster, { command: 'ADD', pod: ref, config: bridgeConfig() });
    expect((await found).network).toBe('tenant');
    await delegate(cluster, { command: 'DEL', pod: ref, config: bridgeConfig() });
  });

  it('fails with the description, the last failure and the state of the world', async () => {
    const ref = await newPod();
    const waiting = cluster.until('pigs fly', () => Promise.reject(new Error('no wings')), 20);
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `waited 20 ms in vain until pigs fly\\nno wings[^]*default/${ref.name} Running reports \\[eth0=podnet net1`,
      ),
    );
  });
});

describe('leaks', () => {
  it('is empty for a cluster in order', async () => {
    await newPod();
    expect(cluster.leaks()).toEqual([]);
  });

  it('finds a link that no status reports', async () => {
    const ref = await newPod();
    await delegate(cluster, { command: 'ADD', pod: ref, config: bridgeConfig() });
    const pod = `default/${ref.name}`;
    expect(cluster.leaks()).toMatchObject([{ kind: 'link', pod, interface: 'net7', network: 'tenant' }]);
    await delegate(cluster, { command: 'DEL', pod: ref, config: bridgeConfig() });
    expect(cluster.leaks()).toEqual([]);
  });

  it('finds a link that was removed: its entry reports what is not there, its address is held for nothing', async () => {
    const ref = await newPod();
    cluster.kernel.removeLink(netnsOf(ref), 'net1');
    expect(cluster.leaks()).toMatchObject([
      { kind: 'address', interface: 'net1', network: 'blue' },
      { kind: 'entry', interface: 'net1', network: 'default/blue', reason: 'no such interface' },
    ]);
    await cluster.deletePod(ref);
    expect(cluster.leaks()).toEqual([]);
  });

  it('finds an address that was freed under an interface', async () => {
    const ref = await newPod();
    const { id = '' } = cluster.kubelet.findSandbox(ref) ?? {};
    cluster.ipam.free({ network: 'blue', containerId: id, ifname: 'net1' });
    expect(cluster.leaks()).toMatchObject([{ kind: 'unleased', network: 'blue' }]);
    await cluster.deletePod(ref);
  });

  it('finds an entry that says something else than the interface', async () => {
    const ref = await newPod();
    const entries = cluster.networkStatus(ref).map((entry) => ({ ...entry, ips: ['10.20.0.250'] }));
    cluster.objects.modify({ resource: 'pods', ...ref }, (draft) => {
      draft.metadata.annotations = { [networkStatusAnnotation]: formatNetworkStatus(entries) };
    });
    expect(cluster.leaks().map(({ kind }) => kind)).toEqual(['entry', 'entry']);
    await cluster.deletePod(ref);
  });
});
