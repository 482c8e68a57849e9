// claims, pools and devices, from objects as their controllers write them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bridge, World } from '../harness.ts';
import { runDnet, text } from './run-dnet.ts';

let world: World;
beforeAll(async () => {
  world = await World.start({ agent: false });
});
afterAll(() => world.stop());

const dnet = (...args: string[]) => runDnet(world, args);

it('says what is missing before anything is installed', async () => {
  expect((await dnet('claims')).err).toContain('error: this cluster has no IPAMClaims');
  const pools = await dnet('pools');
  expect([pools.code, pools.out]).toEqual([0, 'NETWORK  FAMILY  SUBNETS  SIZE  USED  FREE  FULL  CLAIMS  WAITING\n']);
  expect((await dnet('devices')).err).toBe('No pod reports a device.\n');
});

const claim = (name: string, ips: readonly string[], condition: object) =>
  world.cluster.objects.create('ipamclaims', {
    apiVersion: 'k8s.cni.cncf.io/v1alpha1',
    kind: 'IPAMClaim',
    metadata: {
      namespace: 'default',
      name,
      labels: { 'kubevirt.io/vm': 'vm-a' },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm-a', uid: 'u', controller: true },
      ],
    },
    spec: { network: 'tenant', interface: '' },
    status: {
      ips: [...ips],
      conditions: [{ type: 'IPsAllocated', lastTransitionTime: '2026-01-01T00:00:00Z', ...condition }],
    },
  });

it('shows who has which address, and how full the pool is', async () => {
  world.cluster.api.register({
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  });
  world.cluster.createNad({
    name: 'tenant',
    config: {
      ...bridge('tenant', '10.9.0.0/24'),
      name: 'tenant',
      allowPersistentIPs: true,
      subnets: '10.9.0.0/29,fd00:9::/64',
    },
  });
  world.cluster.createNad({
    name: 'broken',
    config: { type: 'bridge', allowPersistentIPs: true, subnets: 'nonsense' },
  });
  claim('vm-a.blue', ['10.9.0.2/29', 'fd00:9::2/64'], {
    status: 'True',
    reason: 'Allocated',
    message: '10.9.0.2/29, fd00:9::2/64',
  });
  claim('vm-b.blue', [], { status: 'False', reason: 'PoolExhausted', message: 'no IPv4 address of tenant is free' });
  const created = Date.parse(world.cluster.objects.list('ipamclaims')[1]?.metadata.creationTimestamp ?? '');
  const claims = await runDnet(world, ['claims'], { now: () => created + 5000 });
  expect(claims.out.replace(/ [0-9]s$/gm, ' 5s')).toBe(
    text(`
      NAME       NETWORK  OWNER                ADDRESSES                 ALLOCATED  AGE
      vm-a.blue  tenant   VirtualMachine/vm-a  10.9.0.2/29,fd00:9::2/64  yes        5s
      vm-b.blue  tenant   VirtualMachine/vm-a  -                         no         5s
          PoolExhausted: no IPv4 address of tenant is free
    `),
  );
  const pools = await dnet('pools');
  expect(pools.out).toMatch(/^tenant +IPv4 +10\.9\.0\.0\/29 +5 +1 +4 +20% +2 +1$/m);
  expect(pools.out).toMatch(/^tenant +IPv6 +fd00:9::\/64 +~1\.8e\+19 +1 +~1\.8e\+19 +0% +2 +1$/m);
  expect(pools.err).toContain('warning: subnets of NetworkAttachmentDefinition default/broken is "nonsense"');
  const { items, problems } = JSON.parse((await dnet('pools', '-o', 'json')).out);
  expect(items[0]).toEqual({
    network: 'tenant',
    family: 'IPv4',
    subnets: ['10.9.0.0/29'],
    size: '5',
    used: '1',
    free: '4',
    usedPercent: 20,
    claims: 2,
    waiting: 1,
  });
  expect(problems).toHaveLength(1);
  expect(JSON.parse((await dnet('claims', 'vm-b.blue', '-o', 'json')).out).items).toMatchObject([
    { name: 'vm-b.blue', owner: 'VirtualMachine/vm-a', ips: [], allocated: false, reason: 'PoolExhausted' },
  ]);
});

it('shows devices, and where a map does not fit', async () => {
  const device = (address: string) => ({ type: 'pci', version: '1.1.0', pci: { 'pci-address': address } });
  const status = [
    { name: 'default/sr-a', interface: 'pod1', 'device-info': device('0000:65:00.2') },
    { name: 'default/sr-b', interface: 'pod2', 'device-info': device('0000:65:00.3') },
  ];
  world.cluster.objects.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'virt-launcher-vm-a-x',
      namespace: 'default',
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: {
        'kubevirt.io/domain': 'vm-a',
        'k8s.v1.cni.cncf.io/network-status': JSON.stringify(status),
        'kubevirt.io/network-to-pci-address': '{"fast":"0000:65:00.2","gone":"0000:65:00.7"}',
      },
    },
    spec: { nodeName: 'elsewhere', containers: [] },
    status: { phase: 'Running' },
  });
  expect((await dnet('devices')).out).toBe(
    text(`
      POD                   INTERFACE  NETWORK       TYPE  PCI ADDRESS   MAPPED AS
      virt-launcher-vm-a-x  pod1       default/sr-a  pci   0000:65:00.2  fast
      virt-launcher-vm-a-x  pod2       default/sr-b  pci   0000:65:00.3  -
          the map does not have it: is the gate DeviceMap on, or does KubeVirt write it?
      virt-launcher-vm-a-x  -          -             -     0000:65:00.7  gone
          only the map has it: network-status reports no such device
    `),
  );
});
