import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkName } from '../model/keys.ts';
import { formatAddress, formatCidr } from './address-number.ts';
import { readNetworkConfig } from './network-config.ts';

const nad = networkName('shop', 'blue');
const read = (config: unknown) => readNetworkConfig(nad, typeof config === 'string' ? config : JSON.stringify(config));
const base = { name: 'tenantblue', type: 'macvlan', allowPersistentIPs: true };
const network = (config: object) => {
  const reading = read({ ...base, ...config });
  if (reading.state !== 'on') throw new Error(`not on: ${JSON.stringify(reading)}`);
  return reading.network;
};

describe('readNetworkConfig', () => {
  it.each([
    ['an empty config: it is a file on the node', ''],
    ['no switch', { name: 'x', type: 'macvlan', subnets: '10.0.0.0/24' }],
    ['the switch off', { ...base, allowPersistentIPs: false }],
  ])('is off with %s', (_, config) => {
    expect(read(config)).toEqual({ state: 'off' });
  });

  it.each([
    ['text that is no JSON', '{"name":', 'the config of NetworkAttachmentDefinition shop/blue is not a JSON object'],
    ['a list', '[]', 'is not a JSON object: "[]"'],
    [
      'a switch in quotes',
      { ...base, allowPersistentIPs: 'true' },
      'allowPersistentIPs of NetworkAttachmentDefinition shop/blue is "true": write true or false, without quotes',
    ],
  ])('cannot tell with %s', (_, config, problem) => {
    expect(read(config)).toEqual({ state: 'unreadable', problem: expect.stringContaining(problem) });
  });

  it.each([
    [
      'a subnet that is none',
      { subnets: '10.0.0.0' },
      'subnets of NetworkAttachmentDefinition shop/blue is "10.0.0.0"',
    ],
    ['a prefix too long', { subnets: '10.0.0.0/33' }, 'is "10.0.0.0/33": it must be a CIDR'],
    ['one broken among good ones', { subnets: '10.0.0.0/24, fd00::/129' }, 'is "fd00::/129": it must be a CIDR'],
    ['a trailing comma', { subnets: '10.0.0.0/24,' }, 'subnets of NetworkAttachmentDefinition shop/blue is ""'],
    ['the form of layer 3 networks', { subnets: '10.128.0.0/16/24' }, 'is "10.128.0.0/16/24"'],
    ['IPv4 written as IPv6', { subnets: '::ffff:10.0.0.0/120' }, 'is "::ffff:10.0.0.0/120"'],
    ['an octet with a leading zero', { subnets: '010.0.0.0/24' }, 'is "010.0.0.0/24"'],
    ['subnets as a list', { subnets: ['10.0.0.0/24'] }, 'it must be a text of CIDRs'],
    [
      'subnets that overlap',
      { subnets: '10.0.0.0/16,10.0.3.0/24' },
      'is "10.0.3.0/24": it overlaps 10.0.0.0/16 of the same network; remove one of them',
    ],
    [
      'an exclusion beside the subnets',
      { subnets: '10.0.0.0/24', excludeSubnets: '10.1.0.0/30' },
      'excludeSubnets of NetworkAttachmentDefinition shop/blue is "10.1.0.0/30": it lies in none of subnets',
    ],
    ['a broken exclusion', { subnets: '10.0.0.0/24', excludeSubnets: '10.0.0.1-5' }, 'excludeSubnets of'],
    [
      'a broken gateway',
      { subnets: '10.0.0.0/24', gateway: 'router' },
      'gateway of NetworkAttachmentDefinition shop/blue is "router"',
    ],
  ])('names field, value and remedy of %s', (_, config, problem) => {
    expect(read({ ...base, ...config })).toEqual({
      state: 'invalid',
      name: 'tenantblue',
      problem: expect.stringContaining(problem),
    });
  });

  it.each([
    ['no subnets', {}],
    ['empty subnets', { subnets: '' }],
    ['OVN-Kubernetes', { type: 'ovn-k8s-cni-overlay', topology: 'layer2', subnets: '10.0.0.0/24' }],
    [
      'OVN-Kubernetes in a list of plugins',
      { type: undefined, plugins: [{ type: 'ovn-k8s-cni-overlay' }], subnets: '10.0.0.0/24' },
    ],
    ['the primary network of a namespace', { role: 'primary', subnets: '10.0.0.0/24' }],
  ])('leaves the addresses to others with %s', (_, config) => {
    expect(network(config)).toMatchObject({ name: 'tenantblue', allocator: 'other', subnets: [] });
  });

  it('reads subnets of both families in their order, and exclusions', () => {
    const { subnets, excluded, allocator, mayOverlap } = network({
      subnets: '10.2.0.0/16, 10.1.0.9/16 ,fd00:0::/64',
      excludeSubnets: '10.1.0.0/28,fd00::/120',
    });
    expect(allocator).toBe('ours');
    expect(subnets.map(formatCidr)).toEqual(['10.2.0.0/16', '10.1.0.0/16', 'fd00::/64']);
    expect(excluded.map(formatCidr)).toEqual(['10.1.0.0/28', 'fd00::/120']);
    expect(mayOverlap).toBe(false);
  });

  it.each([
    ['at the top', { gateway: '10.0.0.9' }, ['10.0.0.9']],
    ['of both families', { gateway: '10.0.0.9, fd00::9' }, ['10.0.0.9', 'fd00::9']],
    ['in the IPAM section', { ipam: { type: 'static', gateway: '10.0.0.9' } }, ['10.0.0.9']],
    [
      'beside a static address, which is taken as well',
      { ipam: { addresses: [{ address: '10.0.0.5/24', gateway: '10.0.0.9' }] } },
      ['10.0.0.9', '10.0.0.5'],
    ],
    ['in a route', { ipam: { routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.9' }] } }, ['10.0.0.9']],
    [
      'in a plugin of a list',
      { type: undefined, plugins: [{ type: 'bridge', ipam: { gateway: '10.0.0.9' } }] },
      ['10.0.0.9'],
    ],
    ['outside the subnets: no pool has it', { gateway: '192.168.0.1' }, []],
    ['as none', { gateway: 'none' }, []],
  ])('finds a gateway %s', (_, config, expected) => {
    const { gateways } = network({ subnets: '10.0.0.0/24,fd00::/64', ...config });
    expect([...new Set(gateways.map(formatAddress))]).toEqual(expected);
  });

  it('calls a network without a name after its NetworkAttachmentDefinition, which no config name can equal', () => {
    expect(network({ name: undefined, subnets: '10.0.0.0/24' }).name).toBe('shop/blue');
  });

  it('reads any text without throwing', () => {
    const field = fc.oneof(fc.string(), fc.jsonValue(), fc.constantFrom('10.0.0.0/24', 'fd00::/64', '10.0.0.1'));
    const config = fc.record(
      { allowPersistentIPs: fc.constant(true), subnets: field, excludeSubnets: field, gateway: field, ipam: field },
      { requiredKeys: ['allowPersistentIPs'] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          config.map((value) => JSON.stringify(value)),
        ),
        (text) => void read(text),
      ),
    );
  });
});
