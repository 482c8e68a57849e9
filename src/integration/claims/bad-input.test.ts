import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { on } from '../vm/machine-world.ts';
import { ClaimsWorld } from './claims-world.ts';

let world: ClaimsWorld;
beforeAll(async () => {
  world = await ClaimsWorld.start();
});
afterEach(async () => await world.clean());
afterAll(async () => await world.stop());

describe('networks with mistakes', () => {
  it('broken subnets are told on the claim and the machine, and healed by an edit', async () => {
    world.network('sea', { subnets: '10.20.0.0/240' });
    world.define('vm-a', on('sea'));
    const { message } = await world.refused('vm-a.sea', 'InvalidNetwork');
    expect(message).toBe(
      'subnets of NetworkAttachmentDefinition default/sea is "10.20.0.0/240": it must be a CIDR such as 10.1.0.0/16 or fd00::/64',
    );
    expect(await world.told('vm-a', 'InvalidNetwork')).toContain('IPAMClaim default/vm-a.sea: subnets of');
    world.editNetwork('sea', { subnets: '10.20.0.0/24' });
    expect(await world.allocated('vm-a.sea')).toEqual(['10.20.0.2/24']);
  });

  it('overlapping subnets: the younger network gives nothing, the older goes on, and nobody shares an address', async () => {
    world.network('sea', { subnets: '10.20.0.0/16' });
    world.define('vm-a', on('sea'));
    await world.allocated('vm-a.sea');
    world.network('youth', { subnets: '10.20.0.0/24' });
    world.define('vm-b', on('youth'));
    // Created in the same second, the name decides; `sea` is before `youth`.
    expect((await world.refused('vm-b.youth', 'InvalidNetwork')).message).toContain(
      'it overlaps 10.20.0.0/16 of default/sea',
    );
    world.define('vm-c', on('sea'));
    expect(await world.allocated('vm-c.sea')).toEqual(['10.20.0.3/16']);
    world.editNetwork('youth', { subnets: '10.21.0.0/24' });
    expect(await world.allocated('vm-b.youth')).toEqual(['10.21.0.2/24']);
  });

  it('a network that breaks under its claims leaves them what they have', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.define('vm-a', on('sea'));
    const before = await world.allocated('vm-a.sea');
    world.editNetwork('sea', { subnets: 'nonsense' });
    world.define('vm-b', on('sea'));
    await world.refused('vm-b.sea', 'InvalidNetwork');
    expect(world.ips('vm-a.sea')).toEqual(before);
    world.editNetwork('sea', { subnets: '10.20.0.0/24' });
    expect(await world.allocated('vm-b.sea')).toEqual(['10.20.0.3/24']);
    expect(world.ips('vm-a.sea')).toEqual(before);
  });

  it('a network that does not exist is told, and served when it does', async () => {
    world.define('vm-a', on('sea'));
    expect(await world.told('vm-a', 'NetworkNotFound')).toContain(
      'NetworkAttachmentDefinition default/sea does not exist',
    );
    world.network('sea', { subnets: '10.20.0.0/24' });
    await world.allocated('vm-a.sea');
  });
});

describe('claims that somebody meddles with', () => {
  it("edited to another's address: the edit is undone, told, and the other is not disturbed", async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.define('vm-a', on('sea'));
    const first = await world.allocated('vm-a.sea');
    world.define('vm-b', on('sea'));
    const second = await world.allocated('vm-b.sea');
    world.editIps('vm-a.sea', second);
    await world.cluster.until('the edit is undone', () => world.ips('vm-a.sea').join() === first.join());
    expect(world.ips('vm-b.sea')).toEqual(second);
    expect(await world.told('vm-a', 'ClaimEdited')).toContain(
      'belongs to IPAMClaim default/vm-b.sea; 10.20.0.2/24 was restored',
    );
  });

  it('edited while the controller was away: the one that was given the address keeps it', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.define('vm-a', on('sea'));
    const first = await world.allocated('vm-a.sea');
    world.define('vm-b', on('sea'));
    const second = await world.allocated('vm-b.sea');
    await world.machines.stopController();
    world.editIps('vm-a.sea', second);
    await world.machines.startController();
    await world.cluster.until('the edit is undone', () => world.ips('vm-a.sea').join() === first.join());
    expect(world.ips('vm-b.sea')).toEqual(second);
  });

  it('given the same address twice, by whatever means: the younger gives it back, says so, and gets another', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.define('vm-a', on('sea'));
    await world.allocated('vm-a.sea');
    world.define('vm-b', on('sea'));
    await world.allocated('vm-b.sea');
    await world.machines.stopController();
    world.editClaim('vm-b.sea', (draft) => {
      draft.status = structuredClone(world.claim('vm-a.sea').status ?? {});
    });
    await world.machines.startController();
    // The older one, and of two that were created in one second the one with the smaller uid.
    const age = (name: string) => {
      const { creationTimestamp, uid } = world.claim(name).metadata;
      return `${creationTimestamp} ${uid}`;
    };
    const [winner, loser] = age('vm-a.sea') < age('vm-b.sea') ? ['vm-a', 'vm-b'] : ['vm-b', 'vm-a'];
    expect(await world.told(loser, 'Conflict')).toContain(`10.20.0.2 belongs to IPAMClaim default/${winner}.sea`);
    await world.cluster.until('they have different ones', () => {
      const ips = [...world.ips('vm-a.sea'), ...world.ips('vm-b.sea')];
      return ips.length === 2 && new Set(ips).size === 2;
    });
    expect(world.ips(`${winner}.sea`)).toEqual(['10.20.0.2/24']);
  });

  it('deleted under a running machine: it stays, is told, and keeps its address', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    await world.machines.run('vm-a', on('sea'));
    const before = await world.allocated('vm-a.sea');
    world.remove('ipamclaims', 'vm-a.sea');
    expect(await world.told('vm-a', 'ClaimDeleted')).toContain('it keeps its addresses');
    expect(world.ips('vm-a.sea')).toEqual(before);
  });

  it('deleted by force under a running machine: nobody gets the address while its pod has it, and it comes back with it', async () => {
    world.network('sea', {
      subnets: '10.20.0.0/30',
      bridge: 'br-sea',
      capabilities: { ips: true },
      ipam: { type: 'static' },
    });
    world.define('vm-a', on('sea'));
    const [ip = ''] = await world.allocated('vm-a.sea');
    const vmi = on('sea');
    const element = {
      name: 'sea',
      namespace: 'default',
      interface: String(world.claim('vm-a.sea').spec?.['interface']),
      ips: [ip],
    };
    await world.machines.runInstance(
      'vm-a',
      vmi,
      { podNetworks: JSON.stringify([element]) },
      world.machines.vm('vm-a'),
    );
    world.define('vm-b', on('sea'));
    await world.refused('vm-b.sea', 'PoolExhausted');

    const { uid } = world.claim('vm-a.sea').metadata;
    world.forceRemove('vm-a.sea');
    await world.cluster.until(
      'a new claim is there',
      () => world.findClaim('vm-a.sea')?.metadata.uid !== uid && world.ips('vm-a.sea').length > 0,
    );
    expect(await world.allocated('vm-a.sea')).toEqual([ip]);
    expect(world.ips('vm-b.sea')).toEqual([]);
  });

  it('stripped of its finalizer: it gets it back', async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    world.define('vm-a', on('sea'));
    await world.allocated('vm-a.sea');
    world.editClaim('vm-a.sea', (draft) => {
      draft.metadata.finalizers = [];
    });
    await world.cluster.until('it is protected', () => world.claim('vm-a.sea').metadata.finalizers?.length === 1);
  });

  it("a foreign claim of the machine's name is refused and left as it is", async () => {
    world.network('sea', { subnets: '10.20.0.0/24' });
    const foreign = world.objects.create('ipamclaims', {
      apiVersion: 'k8s.cni.cncf.io/v1alpha1',
      kind: 'IPAMClaim',
      metadata: { namespace: 'default', name: 'vm-a.sea' },
      spec: { network: 'elsewhere', interface: '' },
    });
    world.define('vm-a', on('sea'));
    // Events of machines of that name in earlier tests are still there.
    await world.cluster.until('the refusal is told', () =>
      world
        .events('vm-a', 'ClaimRefused')
        .some((message) => message.includes('belongs to nobody, not to this VirtualMachine')),
    );
    expect(world.claim('vm-a.sea')).toEqual(foreign);
  });
});
