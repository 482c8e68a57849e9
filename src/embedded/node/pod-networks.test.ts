import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { bridgeConfig, delegate } from './delegate-client.ts';
import { networkStatusAnnotation } from './network-status.ts';

let cluster: EmbeddedCluster;
let serial = 0;

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ devices: { 'intel.com/vf': ['0000:01:00.1', '0000:01:00.2'] } });
  const { name: _, ...nameless } = bridgeConfig();
  cluster.createNad({ name: 'blue', config: nameless });
  cluster.createNad({ name: 'red', namespace: 'other', config: { ...bridgeConfig(), name: 'crimson', mtu: 1400 } });
  cluster.createNad({
    name: 'list',
    config: { cniVersion: '0.4.0', name: 'listed', plugins: [bridgeConfig(), { type: 'tuning', mtu: 1300 }] },
  });
  cluster.createNad({
    name: 'vf',
    resourceName: 'intel.com/vf',
    config: { cniVersion: '1.0.0', name: 'vf', type: 'sriov' },
  });
});
afterAll(() => cluster.stop());

const podWith = async (networks: string, resources?: Record<string, number>) => {
  const ref = { namespace: 'default', name: `pod-${++serial}` };
  await cluster.createPod({ ...ref, networks, ...(resources && { resources }) });
  return ref;
};

describe('pod creation', () => {
  it.each([
    ['the short form', 'blue, other/red@tenant0,blue'],
    ['JSON', '[{"name":"blue"},{"name":"red","namespace":"other","interface":"tenant0"},{"name":"blue"}]'],
  ])('attaches what the annotation lists in %s', async (_form, networks) => {
    const ref = await podWith(networks);
    expect(cluster.networkStatus(ref).map((entry) => [entry.name, entry.interface, entry.default])).toEqual([
      ['podnet', 'eth0', true],
      ['default/blue', 'net1', undefined],
      ['other/red', 'tenant0', undefined],
      ['default/blue', 'net3', undefined],
    ]);
    expect(cluster.links(ref).map(({ name, network }) => [name, network])).toEqual([
      ['eth0', 'podnet'],
      ['net1', 'blue'],
      ['tenant0', 'crimson'],
      ['net3', 'blue'],
    ]);
    expect(cluster.leaks()).toEqual([]);
  });

  it('writes the status the way Multus does', async () => {
    const ref = await podWith('[{"name":"red","namespace":"other","mac":"02:00:00:00:00:01","ips":["10.20.0.99"]}]');
    const text = cluster.pod(ref).metadata.annotations?.[networkStatusAnnotation] ?? '';
    expect(text.slice(text.indexOf('},{') + 2, -1)).toBe(
      `{
    "name": "other/red",
    "interface": "net1",
    "ips": [
        "10.20.0.99"
    ],
    "mac": "02:00:00:00:00:01",
    "mtu": 1400,
    "dns": {}
}`,
    );
    expect(text.startsWith('[{\n    "name": "podnet",')).toBe(true);
    expect(text.endsWith('}]')).toBe(true);
  });

  it('gives each device network its own device, with device-info', async () => {
    const ref = await podWith('vf,vf', { 'intel.com/vf': 2 });
    expect(cluster.networkStatus(ref).map((entry) => entry['device-info'])).toEqual([
      undefined,
      { type: 'pci', version: '1.1.0', pci: { 'pci-address': '0000:01:00.1' } },
      { type: 'pci', version: '1.1.0', pci: { 'pci-address': '0000:01:00.2' } },
    ]);
    await cluster.deletePod(ref);
    await cluster.deletePod(await podWith('vf', { 'intel.com/vf': 2 }));
  });

  it('saves its delegates per container id in the format of the real daemon', async () => {
    const ref = await podWith('blue@b0,list');
    const { id = '' } = cluster.kubelet.findSandbox(ref) ?? {};
    const saved = JSON.parse(readFileSync(join(cluster.multusCacheDir, id), 'utf8'));
    expect(saved).toMatchObject([
      { Name: 'podnet', ConfList: { plugins: [{ type: 'bridge' }] } },
      {
        Name: 'default/blue',
        ifnameRequest: 'b0',
        Conf: { type: 'bridge', name: 'blue', ipam: { type: 'host-local' } },
      },
      { Name: 'default/list', ConfList: { name: 'listed', plugins: [{ type: 'bridge' }, { type: 'tuning' }] } },
    ]);
    const bytes = Buffer.from(saved[1].Bytes, 'base64').toString();
    expect(JSON.parse(bytes)).toEqual({ ...bridgeConfig(), name: 'blue' });
  });

  it('fails as a whole, leaves nothing behind and is tried again when the definition appears', async () => {
    const ref = { namespace: 'default', name: 'waits-for-nad' };
    const created = cluster.createPod({ ...ref, networks: 'blue,late' });
    const reasons = () => cluster.events(ref).map((event) => event['reason']);
    await cluster.until('it failed', () => reasons().includes('FailedCreatePodSandBox'));
    expect(reasons()).toContain('NoNetworkFound');
    expect(cluster.pod(ref).status?.['phase']).toBe('Pending');
    expect(cluster.cri.sandboxes.ofPod(cluster.pod(ref).metadata.uid)).toEqual([]);
    expect(cluster.leaks()).toEqual([]);
    cluster.createNad({ name: 'late', config: bridgeConfig({ name: 'late' }) });
    await created;
    expect(cluster.networkStatus(ref).map((entry) => entry.name)).toEqual(['podnet', 'default/blue', 'default/late']);
  });

  it('takes back what it had attached when a later network fails', async () => {
    cluster.createNad({ name: 'bad', config: bridgeConfig({ type: 'faulty', failOn: ['ADD'], name: 'bad' }) });
    const ref = { namespace: 'default', name: 'half' };
    await cluster.createPod({ ...ref, networks: 'blue,bad', wait: false });
    await cluster.until('it failed', () =>
      cluster.events(ref).some((each) => each['reason'] === 'FailedCreatePodSandBox'),
    );
    expect(cluster.leaks()).toEqual([]);
  });
});

describe('pod deletion', () => {
  it('DELs what creation attached, but leaks the address of what was hot-plugged', async () => {
    const ref = await podWith('blue');
    const { id = '' } = cluster.kubelet.findSandbox(ref) ?? {};
    await delegate(cluster, { command: 'ADD', pod: ref, config: bridgeConfig({ name: 'plugged' }) });
    await cluster.deletePod(ref);
    expect(existsSync(join(cluster.multusCacheDir, id))).toBe(false);
    const held = cluster.ipam.inspect().filter(({ containerId }) => containerId === id);
    expect(held).toMatchObject([{ network: 'plugged', ifname: 'net7' }]);
  });
});

describe('namespace isolation', () => {
  it('refuses networks of other namespaces but the global ones', async () => {
    const isolated = await startEmbeddedCluster({ namespaceIsolation: { globalNamespaces: ['common'] } });
    try {
      isolated.createNad({ name: 'net', namespace: 'common', config: bridgeConfig() });
      isolated.createNad({ name: 'net', namespace: 'other', config: bridgeConfig() });
      await isolated.createPod({ name: 'fine', networks: 'common/net' });
      await isolated.createPod({ name: 'refused', networks: 'other/net', wait: false });
      const ref = { namespace: 'default', name: 'refused' };
      await isolated.until('it is refused', () =>
        isolated.events(ref).some((event) => String(event['message']).includes('namespace isolation enabled')),
      );
      const input = { command: 'ADD', pod: { namespace: 'default', name: 'fine' }, config: bridgeConfig() };
      expect((await delegate(isolated, input)).status).toBe(200);
    } finally {
      await isolated.stop();
    }
  });
});
