import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashedName } from './interface-names.ts';
import { type NodeNetworksInput, planNodeNetworks } from './plan-node-networks.ts';
import { bridge, bridged, masquerade, multus, podNetwork, reported, spec } from './test-machines.ts';

const LAN = hashedName('lan');
const BLUE = hashedName('blue');
const blueText = `[{"name":"nad-blue","namespace":"ns1","interface":"${BLUE}"}]`;
const lanElement = `{"name":"node-network","namespace":"ns1","interface":"${LAN}"}`;
const bothText = `${blueText.slice(0, -1)},${lanElement}]`;
const lan = { name: 'lan', mac: undefined };

const plan = (input: Partial<NodeNetworksInput>): string | undefined =>
  planNodeNetworks({
    namespace: 'ns1',
    definition: 'node-network',
    spec: bridged('blue'),
    wanted: [lan],
    reported: reported(),
    present: input.text,
    text: '',
    ...input,
  });

describe('the networks annotation of a launcher pod', () => {
  it.each<[string, Partial<NodeNetworksInput>, string]>([
    ['gets one element for the node’s network', { text: '' }, `[${lanElement}]`],
    ['gets it after the others, whose bytes stay', { text: blueText }, bothText],
    ['stays as it is when all is there, spaces and all', { text: `${bothText} ` }, `${bothText} `],
    ['loses the element with the wish', { text: bothText, wanted: [] }, blueText],
    ['is empty when that was the last', { text: `[${lanElement}]`, wanted: [] }, ''],
    ['keeps what it has while nothing may be decided', { text: bothText, wanted: undefined }, bothText],
    ['gets nothing new while nothing may be decided', { text: blueText, wanted: undefined }, blueText],
    [
      'keeps the element when the others are written anew',
      { present: bothText, text: '[]', wanted: undefined },
      `[${lanElement}]`,
    ],
    [
      'has the address that is asked for',
      { text: '', wanted: [{ name: 'lan', mac: '02:00:00:00:00:01' }] },
      `[{"name":"node-network","namespace":"ns1","mac":"02:00:00:00:00:01","interface":"${LAN}"}]`,
    ],
    [
      'keeps what others put into the element',
      { text: `[{"name":"node-network","namespace":"ns1","interface":"${LAN}","x":1}]` },
      `[{"name":"node-network","namespace":"ns1","interface":"${LAN}","x":1}]`,
    ],
    [
      'names a definition of another namespace',
      { text: '', definition: 'net/lan' },
      `[{"name":"lan","namespace":"net","interface":"${LAN}"}]`,
    ],
    [
      'leaves a Multus network of the spec alone that is on the same definition',
      {
        spec: spec([podNetwork, multus('blue', 'node-network')], [masquerade, bridge('blue')]),
        text: `[{"name":"node-network","namespace":"ns1","interface":"${BLUE}"}]`,
        wanted: [],
      },
      `[{"name":"node-network","namespace":"ns1","interface":"${BLUE}"}]`,
    ],
    [
      'has the name that KubeVirt counts for a network of the spec in a pod with ordinal names',
      {
        spec: spec(
          [podNetwork, multus('blue'), { name: 'lan', nodeNetwork: {} }],
          [masquerade, bridge('blue'), bridge('lan')],
        ),
        reported: reported('net1'),
        text: '',
      },
      '[{"name":"node-network","namespace":"ns1","interface":"net2"}]',
    ],
  ])('%s', (_, input, expected) => {
    expect(plan(input)).toBe(expected);
  });

  it.each(['blue,red', '{"name":"blue"}', '["blue"]', '[{'])(
    'is left alone in a form that KubeVirt does not write: %s',
    (text) => {
      expect(plan({ text })).toBeUndefined();
    },
  );

  it('planned again from what was planned is the same, and wishes that come and go leave nothing behind', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name.filter((one) => one !== 'blue')), (names) => {
        const wanted = names.map((one) => ({ name: one, mac: undefined }));
        const once = plan({ text: blueText, wanted }) ?? '';
        expect(plan({ text: once, wanted })).toBe(once);
        expect(plan({ text: once, wanted: [] })).toBe(blueText);
      }),
    );
  });
});
