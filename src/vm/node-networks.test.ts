import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNodeNetworks, nodeNetworkNamesIn, parseNodeNetworks } from './node-networks.ts';
import { bridge, bridged, masquerade, multus, podNetwork, spec } from './test-machines.ts';

const lan = { name: 'lan', nodeNetwork: {} };

describe('the annotation', () => {
  it.each<[string, string | undefined, object[]]>([
    ['is missing', undefined, []],
    ['is empty', ' ', []],
    ['is an empty list', '[]', []],
    ['names one', '[{"name":"lan","nodeNetwork":{}}]', [{ name: 'lan' }]],
    [
      'names two, one with an address',
      '[{"name":"lan","nodeNetwork":{},"macAddress":"02:00:00:00:00:01"},{"name":"two","nodeNetwork":{}}]',
      [{ name: 'lan', mac: '02:00:00:00:00:01' }, { name: 'two' }],
    ],
  ])('%s', (_, text, networks) => {
    expect(parseNodeNetworks(text)).toMatchObject({ ok: true, networks });
  });

  it.each<[string, string, RegExp]>([
    ['is no JSON', 'lan', /is no JSON list: "lan"/],
    ['is an object', '{"name":"lan"}', /is no JSON list/],
    ['has something else than objects', '["lan"]', /\[0\] is no object: "lan"/],
    ['has an entry without a name', '[{"nodeNetwork":{}}]', /\[0\] has no name/],
    ['names one twice', JSON.stringify([lan, lan]), /\[1\] has the name "lan", which another entry has/],
    ['has another source', '[{"name":"lan","multus":{"networkName":"a"}}]', /must have the source "nodeNetwork": \{\}/],
    ['has a source with arguments', '[{"name":"lan","nodeNetwork":{"master":"eth1"}}]', /must have the source/],
    ['has a field that nobody knows', '[{"name":"lan","nodeNetwork":{},"master":"eth1"}]', /the field "master"/],
    [
      'has an address that is none',
      '[{"name":"lan","nodeNetwork":{},"macAddress":"x"}]',
      /macAddress "x", which is none/,
    ],
    ['is too long', JSON.stringify(Array.from({ length: 9 }, (_, i) => ({ ...lan, name: `n${i}` }))), /has 9 entries/],
  ])('is refused with the reason when it %s', (_, text, message) => {
    expect(parseNodeNetworks(text)).toEqual({
      ok: false,
      problem: { reason: 'InvalidNodeNetworks', message: expect.stringMatching(message) },
    });
  });

  it('of any text is read or refused, and reading never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(typeof parseNodeNetworks(text).ok).toBe('boolean');
      }),
    );
  });
});

describe('what a machine asks for', () => {
  const both = spec(
    [podNetwork, lan, multus('blue'), { name: 'gone', nodeNetwork: {} }],
    [
      masquerade,
      bridge('lan', { macAddress: '02:00:00:00:00:09' }),
      bridge('blue'),
      bridge('gone', { state: 'absent' }),
    ],
  );

  it('is in its spec, but for what is absent, and in the annotation', () => {
    expect(findNodeNetworks(both, '[{"name":"two","nodeNetwork":{}}]')).toEqual({
      ok: true,
      networks: [
        { name: 'lan', mac: '02:00:00:00:00:09' },
        { name: 'two', mac: undefined },
      ],
    });
  });

  it.each(['lan', 'blue', 'default'])('may not have the name of another of its networks: %s', (name) => {
    expect(findNodeNetworks(both, JSON.stringify([{ name, nodeNetwork: {} }]))).toMatchObject({
      ok: false,
      problem: { reason: 'InvalidNodeNetworks', message: expect.stringContaining(`"${name}"`) },
    });
  });

  it('is secondary in the spec, so it is never taken for the primary network', () => {
    const { networks } = spec([lan, podNetwork], [bridge('lan'), masquerade]);
    expect(networks.map(({ isSecondary, isNodeNetwork }) => [isSecondary, isNodeNetwork])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(bridged('blue').networks.some(({ isNodeNetwork }) => isNodeNetwork)).toBe(false);
  });

  it('is found by name in a spec as it was written, whatever else is in it', () => {
    expect(nodeNetworkNamesIn({ networks: [lan, podNetwork, 7, { name: 'x', nodeNetwork: { a: 1 } }] })).toEqual([
      'lan',
      'x',
    ]);
    for (const odd of [undefined, null, 'x', {}, { networks: 'x' }]) expect(nodeNetworkNamesIn(odd)).toEqual([]);
  });
});
