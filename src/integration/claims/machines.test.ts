import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashedName } from '../../vm/interface-names.ts';
import { bridge, masquerade, multus, podNetwork, specObject } from '../../vm/test-machines.ts';
import { on } from '../vm/machine-world.ts';
import { ClaimsWorld } from './claims-world.ts';

let world: ClaimsWorld;
beforeAll(async () => {
  world = await ClaimsWorld.start();
});
afterEach(async () => await world.clean());
afterAll(async () => await world.stop());

const ipsOf = (name: string) => world.allocated(name);
const refs = (name: string) => world.claim(name).metadata.ownerReferences;

describe('claims of a machine', () => {
  it('are made as soon as it is defined, with an address, its owner and its finalizer', async () => {
    world.network('sea', { subnets: '10.20.0.0/24,fd20::/64' });
    const vm = world.define('vm-a', on('sea'));
    expect(await ipsOf('vm-a.sea')).toEqual(['10.20.0.2/24', 'fd20::2/64']);
    const { metadata, spec } = world.claim('vm-a.sea');
    expect(metadata).toMatchObject({
      labels: { 'kubevirt.io/vm': 'vm-a' },
      finalizers: ['kubevirt.io/persistent-ipam'],
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name: 'vm-a',
          uid: vm.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(spec).toEqual({ network: 'net-sea', interface: hashedName('sea') });
    expect(world.condition('vm-a.sea')).toEqual({
      status: 'True',
      reason: 'Allocated',
      message: '10.20.0.2/24, fd20::2/64',
    });
    expect(await world.told('vm-a', 'IPsAllocated')).toBe('10.20.0.2, fd20::2 of network net-sea (IPAMClaim vm-a.sea)');
  });

  it('belong to the running instance where there is no machine behind it', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    await world.machines.runInstance('vmi-a', on('sea'));
    await ipsOf('vmi-a.sea');
    expect(refs('vmi-a.sea')).toMatchObject([
      { kind: 'VirtualMachineInstance', uid: world.machines.vmi('vmi-a').metadata.uid },
    ]);
  });

  it('keep their addresses over stop, start, and a controller that was away meanwhile', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    await world.machines.run('vm-a', on('sea'));
    const before = await ipsOf('vm-a.sea');
    await world.cluster.deletePod(world.machines.pod('vm-a'));
    await world.machines.stopController();
    world.remove('virtualmachineinstances', 'vm-a');
    world.define('vm-b', on('sea'));
    await world.machines.startController();
    expect(await ipsOf('vm-b.sea')).toEqual(['10.20.0.3/24']);
    await world.machines.runInstance('vm-a', on('sea'), {}, world.machines.vm('vm-a'));
    expect(world.ips('vm-a.sea')).toEqual(before);
    expect(world.claim('vm-a.sea').metadata.finalizers).toEqual(['kubevirt.io/persistent-ipam']);
  });

  it('come with a network that is plugged into the running machine, and go when it is unplugged everywhere', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.network('lake', { subnets: '10.21.0.0/24' });
    await world.machines.run('vm-a', on('sea'));
    await ipsOf('vm-a.sea');
    world.machines.setTemplate('vm-a', on('sea', 'lake'));
    world.machines.editVmi('vm-a', (draft) => {
      draft.spec = { ...on('sea', 'lake') };
      draft.status = { ...draft.status, interfaces: [{ name: 'sea' }, { name: 'lake' }] };
    });
    await ipsOf('vm-a.lake');

    world.machines.setTemplate('vm-a', on('sea'));
    world.machines.editVmi('vm-a', (draft) => {
      draft.spec = { ...on('sea') };
    });
    await world.cluster.until('the controller has looked at it', () => world.machines.vmi('vm-a').spec !== undefined);
    expect(world.findClaim('vm-a.lake')).toBeDefined(); // the guest still has it
    world.machines.finishUnplug('vm-a', 'lake');
    await world.gone('vm-a.lake');
    world.define('vm-b', on('lake'));
    expect(await ipsOf('vm-b.lake')).toEqual(['10.21.0.2/24']);
  });

  it('are two for two networks on one definition', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    const spec = specObject(
      [podNetwork, multus('one', 'sea'), multus('two', 'default/sea')],
      [masquerade, bridge('one'), bridge('two')],
    );
    world.define('vm-a', spec);
    expect([await ipsOf('vm-a.one'), await ipsOf('vm-a.two')].flat().sort()).toEqual(['10.20.0.2/24', '10.20.0.3/24']);
  });

  it('go with the machine, but not before its instance and its pod are gone, and their addresses are given again', async () => {
    world.network('sea', { subnets: '10.20.0.0/30' });
    await world.machines.run('vm-a', on('sea'));
    await ipsOf('vm-a.sea');
    world.define('vm-b', on('sea'));
    await world.refused('vm-b.sea', 'PoolExhausted');

    world.remove('virtualmachines', 'vm-a');
    await world.cluster.until('the claim is being deleted', () => world.claim('vm-a.sea').metadata.deletionTimestamp);
    world.remove('virtualmachineinstances', 'vm-a');
    await world.cluster.until('the instance is gone for the controller', () => world.machines.patches().length >= 0);
    expect(world.findClaim('vm-a.sea')).toBeDefined(); // the pod still has the interface
    await world.cluster.deletePod(world.machines.pod('vm-a'));
    await world.gone('vm-a.sea');
    expect(await ipsOf('vm-b.sea')).toEqual(['10.20.0.2/30']);
  });

  it('serve whoever waits longest when an address becomes free', async () => {
    world.network('sea', { subnets: '10.20.0.0/30' });
    world.define('vm-a', on('sea'));
    await ipsOf('vm-a.sea');
    world.define('vm-b', on('sea'));
    const { message } = await world.refused('vm-b.sea', 'PoolExhausted');
    expect(message).toContain('every IPv4 address of network net-sea is taken');
    expect(await world.told('vm-b', 'PoolExhausted')).toContain('IPAMClaim default/vm-b.sea: every IPv4 address');
    world.remove('virtualmachines', 'vm-a');
    expect(await ipsOf('vm-b.sea')).toEqual(['10.20.0.2/30']);
  });

  it('have the addresses that the machine asks for, or say why not', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    const asking = (ip: string) => ({ 'network.kubevirt.io/addresses': JSON.stringify({ sea: [ip] }) });
    world.define('vm-a', on('sea'), asking('10.20.0.77'));
    expect(await ipsOf('vm-a.sea')).toEqual(['10.20.0.77/24']);
    world.define('vm-b', on('sea'), asking('10.20.0.77'));
    expect((await world.refused('vm-b.sea', 'Conflict')).message).toContain(
      '10.20.0.77 belongs to IPAMClaim default/vm-a.sea',
    );
    world.define('vm-c', on('sea'), asking('10.20.0.255'));
    expect((await world.refused('vm-c.sea', 'InvalidRequest')).message).toContain('10.20.0.255 is kept');
    world.remove('virtualmachines', 'vm-a');
    expect(await ipsOf('vm-b.sea')).toEqual(['10.20.0.77/24']);
  });
});

describe('claims that another allocator fills', () => {
  it.each([
    ['no subnets', {}],
    ['OVN-Kubernetes', { type: 'ovn-k8s-cni-overlay', topology: 'layer2', subnets: '10.20.0.0/24' }],
  ])('are passed through untouched: %s', async (_, config) => {
    world.network('sea', config);
    world.network('ours', { subnets: '10.30.0.0/24' });
    world.define('vm-a', on('sea', 'ours'));
    await ipsOf('vm-a.ours');
    expect(world.ips('vm-a.sea')).toEqual([]);
    world.editIps('vm-a.sea', ['10.20.0.9/24']);
    const filled = world.claim('vm-a.sea');
    world.define('vm-b', on('ours'));
    await ipsOf('vm-b.ours');
    expect(world.claim('vm-a.sea')).toEqual(filled);
  });
});
