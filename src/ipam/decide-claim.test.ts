import { describe, expect, it } from 'vitest';
import { parseAddressOfCidr } from './address-number.ts';
import { AddressPool } from './address-pool.ts';
import type { Claim } from './claim.ts';
import { decideClaim } from './decide-claim.ts';
import { holdingOf } from './holding.ts';
import { allocatedClaim, claimOf, networkOf } from './test-claims.ts';

const dualStack = { subnets: '10.0.0.0/29,fd00::/64', excludeSubnets: '10.0.0.2/32' };

const addresses = (texts: readonly string[]) => texts.flatMap((text) => parseAddressOfCidr(text) ?? []);

/** What is decided about `claim` in a pool where the others are, too. */
const decide = (
  claim: Claim,
  {
    config = { subnets: '10.0.0.0/29' },
    others = [],
    pods = {},
    intended = [],
  }: {
    config?: object;
    others?: readonly Claim[];
    /** Addresses by user. */
    pods?: Readonly<Record<string, readonly string[]>>;
    intended?: readonly string[];
  } = {},
) => {
  const pool = new AddressPool(networkOf(config));
  for (const present of [claim, ...others])
    pool.setClaim(holdingOf(present, present === claim ? addresses(intended) : []));
  for (const [user, ips] of Object.entries(pods)) pool.setPod(`pod of ${user}`, user, addresses(ips));
  return decideClaim(pool, claim, addresses(intended));
};

describe('a claim without addresses', () => {
  it.each([
    ['is given the lowest free one', {}, ['10.0.0.2/29']],
    ['is given one of each family, past what is excluded', { config: dualStack }, ['10.0.0.3/29', 'fd00::2/64']],
    ['is given one that no other claim has', { others: [allocatedClaim('b', ['10.0.0.2/29'])] }, ['10.0.0.3/29']],
    ['is given none that a pod still has, although its claim is gone', { pods: { x: ['10.0.0.2'] } }, ['10.0.0.3/29']],
    ['is given what was chosen for it before a crash', { intended: ['10.0.0.5/29'] }, ['10.0.0.5/29']],
    [
      'is given one of the next subnet when the first is full',
      { config: { subnets: '10.0.0.0/30,10.0.9.0/24' }, others: [allocatedClaim('b', ['10.0.0.2/30'])] },
      ['10.0.9.2/24'],
    ],
  ])('%s', (_, world, ips) => {
    expect(decide(claimOf('a'), world)).toMatchObject({ kind: 'give', ips });
  });

  it('is written before it is given another than was chosen for it: who chose that may be about to write it', () => {
    const others = [allocatedClaim('b', ['10.0.0.5/29'])];
    expect(decide(claimOf('a'), { intended: ['10.0.0.5/29'], others })).toEqual({
      kind: 'withdraw',
      reason: 'Conflict',
      message: '10.0.0.5 belongs to IPAMClaim ns1/b, and was chosen for this claim, which is given another',
    });
  });

  it('waits when its network is full', () => {
    const others = ['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6'].map((ip) =>
      allocatedClaim(ip, [`${ip}/29`]),
    );
    expect(decide(claimOf('a'), { others })).toEqual({
      kind: 'refuse',
      reason: 'PoolExhausted',
      message: 'every IPv4 address of network blue is taken; delete a workload or add a subnet',
    });
  });

  it('is given nothing at all when one family is full: half an allocation would never be completed', () => {
    const config = { subnets: '10.0.0.0/24,fd00::/127', gateway: 'none' };
    const others = [allocatedClaim('b', ['fd00::/127']), allocatedClaim('c', ['fd00::1/127'])];
    expect(decide(claimOf('a'), { config, others })).toMatchObject({ reason: 'PoolExhausted' });
  });
});

describe('a claim that asks for an address', () => {
  const asking = (...requested: string[]) => claimOf('a', { requested, vm: 'vm-a' });
  it.each([
    ['is given it', asking('10.0.0.5'), {}, ['10.0.0.5/29']],
    ['is given it, whatever prefix it names', asking('10.0.0.5/24'), {}, ['10.0.0.5/29']],
    [
      'is given any of the family that it did not ask for',
      asking('fd00::9'),
      { config: dualStack },
      ['10.0.0.3/29', 'fd00::9/64'],
    ],
    [
      'is given what its own running pod has',
      asking('10.0.0.5'),
      { pods: { 'VirtualMachine ns1/vm-a': ['10.0.0.5'] } },
      ['10.0.0.5/29'],
    ],
  ])('%s', (_, claim, world, ips) => {
    expect(decide(claim, world)).toMatchObject({ kind: 'give', ips });
  });

  it.each([
    ['no address', asking('ten'), {}, 'InvalidRequest', '"ten" is no IP address'],
    [
      'two of a family',
      asking('10.0.0.5', '10.0.0.6'),
      {},
      'InvalidRequest',
      'more than one IPv4 address is asked for',
    ],
    ['one outside', asking('10.0.1.5'), {}, 'InvalidRequest', "10.0.1.5 is in none of the network's subnets"],
    ['the network address', asking('10.0.0.0'), {}, 'InvalidRequest', '10.0.0.0 is kept'],
    ['the broadcast address', asking('10.0.0.7'), {}, 'InvalidRequest', '10.0.0.7 is kept'],
    ['the gateway', asking('10.0.0.1'), {}, 'InvalidRequest', '10.0.0.1 is kept'],
    ['an excluded one', asking('10.0.0.2'), { config: dualStack }, 'InvalidRequest', '10.0.0.2 is kept'],
    [
      "another claim's",
      asking('10.0.0.5'),
      { others: [allocatedClaim('b', ['10.0.0.5/29'])] },
      'Conflict',
      '10.0.0.5 belongs to IPAMClaim ns1/b',
    ],
    [
      "another's pod's",
      asking('10.0.0.5'),
      { pods: { 'VirtualMachine ns1/vm-b': ['10.0.0.5'] } },
      'Conflict',
      'in use by a pod of VirtualMachine ns1/vm-b',
    ],
  ])('is refused %s with the reason', (_, claim, world, reason, message) => {
    expect(decide(claim, world)).toEqual({ kind: 'refuse', reason, message: expect.stringContaining(message) });
  });
});

describe('a claim with addresses', () => {
  it('that we gave is left alone', () => {
    expect(decide(allocatedClaim('a', ['10.0.0.5/29']))).toEqual({ kind: 'settled' });
  });

  it('is left alone when the network changed under it: what it says is the truth', () => {
    expect(decide(allocatedClaim('a', ['192.168.0.5/24']))).toEqual({ kind: 'settled' });
  });

  it('that somebody else wrote is honoured, also outside the pool', () => {
    expect(decide(claimOf('a', { ips: ['192.168.0.5/24'] }))).toMatchObject({ kind: 'give', ips: ['192.168.0.5/24'] });
  });

  const twin = { createdAt: '2026-01-02T00:00:00Z' };
  it.each([
    [
      'the older of two that were given the same',
      allocatedClaim('a', ['10.0.0.5/29']),
      allocatedClaim('b', ['10.0.0.5/29'], twin),
      'settled',
    ],
    [
      'the younger of two that were given the same',
      allocatedClaim('a', ['10.0.0.5/29'], twin),
      allocatedClaim('b', ['10.0.0.5/29']),
      'takeBack',
    ],
    [
      'of two that are equally old, the one with the higher uid',
      allocatedClaim('b', ['10.0.0.5/29']),
      allocatedClaim('a', ['10.0.0.5/29']),
      'takeBack',
    ],
    [
      'one that only says so, although it is older',
      claimOf('a', { ips: ['10.0.0.5/29'] }),
      allocatedClaim('b', ['10.0.0.5/29'], twin),
      'takeBack',
    ],
  ])('%s', (_, claim, other, kind) => {
    expect(decide(claim, { others: [other] }).kind).toBe(kind);
  });

  it('that loses its address is told to whom', () => {
    const decision = decide(allocatedClaim('a', ['10.0.0.5/29'], twin), {
      others: [allocatedClaim('b', ['10.0.0.5/29'])],
    });
    expect(decision).toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining('10.0.0.5 belongs to IPAMClaim ns1/b'),
    });
  });
});

describe('a claim that was edited by hand', () => {
  const edited = (...ips: string[]) => allocatedClaim('a', ['10.0.0.5/29'], { ips });
  const given = allocatedClaim('b', ['10.0.0.6/29'], { createdAt: '2026-01-02T00:00:00Z' });

  it('to a free address has it from now on', () => {
    expect(decide(edited('10.0.0.4/29'))).toMatchObject({
      kind: 'give',
      ips: ['10.0.0.4/29'],
      notice: 'status.ips was changed to 10.0.0.4/29',
    });
  });

  it.each([
    ["to another claim's address, although it is older", edited('10.0.0.6/29'), '10.0.0.6 belongs to IPAMClaim ns1/b'],
    ['to nothing', edited(), 'status.ips was emptied'],
    ['to no address', edited('garbage'), '["garbage"], which are no addresses'],
    ['to the gateway', edited('10.0.0.1/29'), '10.0.0.1 is kept'],
    ['to an address outside', edited('10.9.0.1/29'), 'in none of the network'],
  ])('%s gets back what it had', (_, claim, notice) => {
    expect(decide(claim, { others: [given] })).toMatchObject({
      kind: 'give',
      ips: ['10.0.0.5/29'],
      notice: expect.stringMatching(/; 10\.0\.0\.5\/29 was restored$/),
    });
    expect(decide(claim, { others: [given] })).toMatchObject({ notice: expect.stringContaining(notice) });
  });

  it('does not disturb the claim whose address was written into it', () => {
    expect(decide(given, { others: [edited('10.0.0.6/29')] })).toEqual({ kind: 'settled' });
  });

  it('keeps its old address from others until it is decided about', () => {
    const config = { subnets: '10.0.0.4/31', gateway: '10.0.0.4' };
    expect(decide(claimOf('c'), { config, others: [edited('10.0.0.6/29')] })).toMatchObject({
      reason: 'PoolExhausted',
    });
  });
});
