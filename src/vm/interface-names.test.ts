import { describe, expect, it } from 'vitest';
import {
  findCollision,
  hashedName,
  isOrdinalName,
  primaryNameIn,
  schemeOf,
  secondaryNames,
} from './interface-names.ts';
import { bridged, multus, podNetwork, reported, spec } from './test-machines.ts';

/** Found by search: the names differ, and the first 44 bits of their hashes do not. */
const TWINS = ['net-1377h', 'net-2vdnt'] as const;

describe('names in the pod', () => {
  it.each([
    ['blue', 'pod16477688c0e'],
    ['red', 'podb1f51a511f1'],
    ['green', 'podba4788b226a'],
    ['sr1', 'pod0b2a3687b87'],
    ['iface1', 'pod7e0055a6880'],
    ['tenantred', 'pod0897838e099'],
  ])('%s is called %s, as KubeVirt calls it', (network, name) => {
    expect(hashedName(network)).toBe(name);
    expect(name.length).toBeLessThanOrEqual(15);
  });

  it.each([
    ['net1', true],
    ['net12', true],
    ['net', false],
    ['net1a', false],
    ['mynet1', false],
    ['eth0', false],
    ['pod16477688c0e', false],
    ['net1\n', false],
    [undefined, false],
  ])('%j is ordinal: %j', (name, expected) => {
    expect(isOrdinalName(name)).toBe(expected);
  });

  it('one ordinal name makes a pod ordinal', () => {
    expect(schemeOf(reported('pod16477688c0e'))).toBe('hashed');
    expect(schemeOf(reported('pod16477688c0e', 'net7'))).toBe('ordinal');
    expect(schemeOf([])).toBe('hashed');
  });

  it('counts secondary networks only, in the order of the networks', () => {
    const { networks } = spec([multus('red'), podNetwork, multus('blue')], []);
    expect([...secondaryNames(networks, 'ordinal')]).toEqual([
      ['red', 'net1'],
      ['blue', 'net2'],
    ]);
    expect([...secondaryNames(networks, 'hashed')]).toEqual([
      ['red', 'podb1f51a511f1'],
      ['blue', 'pod16477688c0e'],
    ]);
  });

  it.each([
    ['the default entry names it', [{ name: 'podnet', interface: 'ens3', default: true, dns: {} }], 'ens3'],
    [
      'the first default entry that has an interface counts',
      [
        { name: 'a', default: true, dns: {} },
        { name: 'b', interface: '', default: true, dns: {} },
        { name: 'c', interface: 'ovn-udn1', default: true, dns: {} },
        { name: 'd', interface: 'eth9', default: true, dns: {} },
      ],
      'ovn-udn1',
    ],
    ['no entry is the default one', [{ name: 'a', interface: 'net1', dns: {} }], 'eth0'],
    ['there is no status', [], 'eth0'],
  ])('the primary interface when %s', (_situation, entries, expected) => {
    expect(primaryNameIn(entries)).toBe(expected);
  });
});

describe('a collision after hashing', () => {
  it('is found, and both networks are named', () => {
    expect(hashedName(TWINS[0])).toBe(hashedName(TWINS[1]));
    const { networks } = bridged('blue', TWINS[0], TWINS[1]);
    expect(findCollision(networks)).toMatchObject({
      reason: 'InterfaceNameCollision',
      message: expect.stringMatching(new RegExp(`${TWINS[0]}.*${TWINS[1]}.*rename`)),
    });
  });

  it('is not seen where there is none', () => {
    expect(findCollision(bridged('blue', 'red', TWINS[0]).networks)).toBeUndefined();
    const { networks } = spec([{ name: TWINS[0], pod: {} }, multus(TWINS[1])], []);
    expect(findCollision(networks)).toBeUndefined();
  });
});
