import { describe, expect, it } from 'vitest';
import { nadOf, tableOf } from './test-claims.ts';

const problemOf = (table: ReturnType<typeof tableOf>, nad: string): string | undefined => {
  const reading = table.findReading(nadOf(nad));
  return reading?.state === 'invalid' ? reading.problem : undefined;
};

describe('the network table', () => {
  it('is one pool for definitions of several namespaces that agree', () => {
    const table = tableOf({
      'a/blue': { name: 'blue', subnets: '10.0.0.0/24' },
      'b/blue': { name: 'blue', subnets: '10.0.0.0/24' },
    });
    expect([...table.pools.keys()]).toEqual(['blue']);
    expect(problemOf(table, 'b/blue')).toBeUndefined();
  });

  it.each([
    ['subnets', { name: 'blue', subnets: '10.9.0.0/24' }],
    ['exclusions', { name: 'blue', subnets: '10.0.0.0/24', excludeSubnets: '10.0.0.8/30' }],
    ['gateway', { name: 'blue', subnets: '10.0.0.0/24', gateway: '10.0.0.254' }],
  ])('refuses a younger definition of the same name with another %s, and leaves the older one alone', (_, config) => {
    const table = tableOf({ 'z/old': { name: 'blue', subnets: '10.0.0.0/24' }, 'a/young': config });
    expect(problemOf(table, 'a/young')).toBe(
      'name of NetworkAttachmentDefinition a/young is "blue": z/old defines that network with other addresses; give it another name, or the same subnets, excludeSubnets and gateway',
    );
    expect(table.findReading(nadOf('z/old'))?.state).toBe('on');
  });

  it('refuses the younger of two networks whose subnets overlap, and names both', () => {
    const table = tableOf({
      'z/old': { name: 'red', subnets: 'fd00::/64,10.0.0.0/16' },
      'a/young': { name: 'blue', subnets: '10.0.7.0/24' },
    });
    expect(problemOf(table, 'a/young')).toContain('"10.0.7.0/24": it overlaps 10.0.0.0/16 of z/old; choose other');
    expect(table.pools.has('blue')).toBe(false);
  });

  it('takes an overlap that the younger one says is meant', () => {
    const table = tableOf({
      'a/red': { name: 'red', subnets: '10.0.0.0/16' },
      'a/blue': { name: 'blue', subnets: '10.0.7.0/24', allowOverlappingSubnets: true },
    });
    expect([...table.pools.keys()]).toEqual(['red', 'blue']);
  });

  it('keeps apart what has no name but that of its definition', () => {
    const table = tableOf({ 'a/blue': { subnets: '10.0.0.0/24' }, 'b/blue': { subnets: '10.1.0.0/24' } });
    expect([...table.pools.keys()]).toEqual(['a/blue', 'b/blue']);
  });

  describe('finds the network of a claim', () => {
    const table = tableOf({
      'b/ours': { name: 'blue', subnets: '10.0.0.0/24' },
      'a/ovn': { name: 'blue', type: 'ovn-k8s-cni-overlay', subnets: '10.0.0.0/24' },
      'c/off': { name: 'blue', allowPersistentIPs: false },
    });
    const allocatorFor = (namespace: string, nad?: string, network = 'blue') => {
      const reading = table.findClaimReading({ namespace, network, nad: nad === undefined ? undefined : nadOf(nad) });
      return reading?.state === 'on' ? reading.network.allocator : reading?.state;
    };
    it.each([
      ['by the definition that it names', 'x', 'b/ours', 'ours'],
      ["by its network's name in its own namespace", 'a', undefined, 'other'],
      ["by its network's name anywhere, the oldest first", 'x', undefined, 'ours'],
      ['switched off', 'c', 'c/off', 'off'],
      ['gone', 'a', 'a/gone', undefined],
    ])('%s', (_, namespace, nad, expected) => {
      expect(allocatorFor(namespace, nad)).toBe(expected);
    });

    it('and refuses a definition that calls its network otherwise by now', () => {
      expect(allocatorFor('x', 'b/ours', 'green')).toBe('invalid');
    });
  });

  it('finds the primary network of a namespace', () => {
    const table = tableOf({
      'a/blue': { name: 'blue' },
      'a/udn': { name: 'udn', role: 'primary', subnets: '10.0.0.0/8' },
    });
    expect(table.findPrimary('a')).toEqual({ nad: 'a/udn', name: 'udn' });
    expect(table.findPrimary('b')).toBeUndefined();
  });
});
