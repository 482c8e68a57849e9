import { describe, expect, it } from 'vitest';
import { networkName } from '../model/keys.ts';
import { formatAddress } from './address-number.ts';
import { readNetworkConfig } from './network-config.ts';
import { usableRanges } from './usable-ranges.ts';

const usable = (config: object): string[] => {
  const text = JSON.stringify({ name: 'n', type: 'macvlan', allowPersistentIPs: true, ...config });
  const reading = readNetworkConfig(networkName('a', 'b'), text);
  if (reading.state !== 'on') throw new Error(JSON.stringify(reading));
  const { network } = reading;
  return network.subnets.flatMap((subnet) =>
    usableRanges(subnet, network)
      .ranges()
      .map(({ first, last }) =>
        [first, last].map((value) => formatAddress({ family: subnet.family, value })).join('-'),
      ),
  );
};

describe('usableRanges', () => {
  it.each([
    [
      'without network, broadcast and the first usable one, which is kept for a router',
      { subnets: '10.0.0.0/24' },
      ['10.0.0.2-10.0.0.254'],
    ],
    [
      'with the first one when the config names another router',
      { subnets: '10.0.0.0/24', gateway: '10.0.0.254' },
      ['10.0.0.1-10.0.0.253'],
    ],
    [
      'with the first one when there is no router',
      { subnets: '10.0.0.0/24', gateway: 'none' },
      ['10.0.0.1-10.0.0.254'],
    ],
    [
      'without what is excluded',
      { subnets: '10.0.0.0/24', excludeSubnets: '10.0.0.0/25,10.0.0.200/29' },
      ['10.0.0.128-10.0.0.199', '10.0.0.208-10.0.0.254'],
    ],
    ['of a subnet that is excluded as a whole: none', { subnets: '10.0.0.0/24', excludeSubnets: '10.0.0.0/16' }, []],
    ['of four addresses', { subnets: '10.0.0.0/30' }, ['10.0.0.2-10.0.0.2']],
    ['of a link of two', { subnets: '10.0.0.0/31' }, ['10.0.0.1-10.0.0.1']],
    ['of a single address', { subnets: '10.0.0.7/32' }, ['10.0.0.7-10.0.0.7']],
    ['of IPv6, whose last address is like any other', { subnets: 'fd00::/64' }, ['fd00::2-fd00::ffff:ffff:ffff:ffff']],
    ['of an IPv6 link', { subnets: 'fd00::/127', gateway: 'none' }, ['fd00::-fd00::1']],
    ['of a single IPv6 address', { subnets: 'fd00::7/128' }, ['fd00::7-fd00::7']],
    [
      'of several subnets, each with its own router',
      { subnets: '10.0.0.0/30,10.0.1.0/30', gateway: '10.0.1.2' },
      ['10.0.0.2-10.0.0.2', '10.0.1.1-10.0.1.1'],
    ],
    [
      'up to the ends of the number space',
      { subnets: '255.255.255.0/24,0.0.0.0/30' },
      ['255.255.255.2-255.255.255.254', '0.0.0.2-0.0.0.2'],
    ],
  ])('%s', (_, config, expected) => {
    expect(usable(config)).toEqual(expected);
  });
});
