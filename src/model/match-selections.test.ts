import { describe, expect, it } from 'vitest';
import { matchSelections } from './match-selections.ts';
import type { StatusEntry } from './network-status.ts';
import { observeAttachments } from './observe-attachments.ts';
import { defaultEntry, type Element, elements, entry, record } from './test-builders.ts';

const match = (
  desired: readonly Element[],
  reported: readonly StatusEntry[],
  records: Parameters<typeof observeAttachments>[1] = [],
) => matchSelections(elements(...desired), observeAttachments([defaultEntry, ...reported], records));

/** Per element: the interface it means, and whether it exists. */
const claims = (...input: Parameters<typeof match>) =>
  match(...input).selections.map(({ claimed, name }) => (claimed === undefined ? `new ${name}` : name));

describe('unnamed elements', () => {
  it.each<[string, Element[], StatusEntry[], string[]]>([
    ['the first element of a fresh pod is net1', ['blue'], [entry('blue@net1')], ['net1']],
    [
      'two elements on one network each have their ordinal',
      ['blue', 'blue'],
      [entry('blue@net2'), entry('blue@net1')],
      ['net1', 'net2'],
    ],
    [
      'Multus counts all elements, named ones too',
      ['red@data0', 'blue'],
      [entry('red@data0'), entry('blue@net2')],
      ['data0', 'net2'],
    ],
    ['an element whose neighbour left keeps its interface', ['blue'], [entry('blue@net2')], ['net2']],
    [
      'net10 comes after net9, not after net1',
      ['red', 'blue'],
      [entry('blue@net10'), entry('blue@net9'), entry('red@net1')],
      ['net1', 'net9'],
    ],
    ['an interface of another network is not theirs', ['blue'], [entry('red@net1')], ['new net1']],
    [
      'an interface that a named element claims is not theirs',
      ['blue', 'blue@net1'],
      [entry('blue@net1')],
      ['new net2', 'net1'],
    ],
    [
      'an interface whose name a named element of another network wants is not theirs',
      ['blue', 'red@net1'],
      [entry('blue@net1')],
      ['new net2', 'new net1'],
    ],
    [
      'the one that has the wanted address is preferred to the ordinal',
      [['blue', { ips: ['10.0.0.6/24'] }]],
      [entry('blue@net1', { ips: ['10.0.0.5'] }), entry('blue@net2', { ips: ['10.0.0.6'] })],
      ['net2'],
    ],
    [
      'the one that has the wanted MAC address is preferred, however it is written',
      [['blue', { mac: '0200.0000.000A' }]],
      [entry('blue@net1', { mac: '02:00:00:00:00:01' }), entry('blue@net2', { mac: '02:00:00:00:00:0a' })],
      ['net2'],
    ],
    [
      'one that does not fit is better than none: it came with the pod',
      [['blue', { ips: ['10.0.0.6/24'] }]],
      [entry('blue@net1', { ips: ['10.0.0.5'] })],
      ['net1'],
    ],
    [
      'new ones get the lowest free ordinals',
      ['blue', 'blue', 'blue'],
      [entry('blue@net2')],
      ['new net1', 'net2', 'new net3'],
    ],
  ])('%s', (_, desired, reported, expected) => {
    expect(claims(desired, reported)).toEqual(expected);
  });

  it('take a hot-plugged interface only with the request that made it, before others', () => {
    const records = [record('blue@net1', { attributes: { ips: ['10.0.0.5'] } }), record('blue@net2')];
    expect(claims(['blue', ['blue', { ips: ['10.0.0.5'] }]], [], records)).toEqual(['net2', 'net1']);
  });

  it('regression: do not take one of the creation, and leave it to others to be plugged again for what is there', () => {
    const records = [record('blue@net1', { attributes: { ips: ['10.0.0.5/24'] } }), record('blue@net9')];
    const asking: Element = ['blue', { ips: ['10.0.0.5/24'] }];
    const reported = [entry('blue@net5', { ips: ['10.0.0.5'] })];
    expect(claims([asking, 'blue', asking], reported, records)).toEqual(['net1', 'net9', 'net5']);
  });

  it('regression: that could not be plugged take only what is left', () => {
    const unpluggable: Element = ['blue', { defaultRoute: ['10.0.0.1'] }];
    const observed = observeAttachments([defaultEntry, entry('blue@data0')], [record('blue@net3')]);
    const { selections } = matchSelections(elements('red', 'blue', unpluggable, 'blue'), observed, {
      canBePlugged: ({ attributes }) => attributes.defaultRoute === undefined,
    });
    expect(selections.map(({ claimed }) => claimed?.interface)).toEqual([undefined, 'net3', undefined, 'data0']);
  });

  it('get no name that the default network or an element to come has', () => {
    const reported = [entry('podnet@net1', { default: true })];
    expect(claims(['blue', 'red@net2'], reported)).toEqual(['new net3', 'new net2']);
  });

  it("regression: get no name that a neighbour's second interface has", () => {
    const records = [record('blue@net1', { entries: [entry('blue@net1'), entry('blue@net2')] })];
    expect(claims(['blue', 'red'], [], records)).toEqual(['net1', 'new net3']);
  });
});

describe('named elements', () => {
  it.each<[string, Element[], StatusEntry[], string[]]>([
    ['an interface of that name and network is theirs', ['blue@data0'], [entry('blue@data0')], ['data0']],
    ['an interface of that name on another network is not', ['blue@data0'], [entry('red@data0')], ['new data0']],
    ['an interface of that network under another name is not', ['blue@data0'], [entry('blue@net1')], ['new data0']],
  ])('%s', (_, desired, reported, expected) => {
    expect(claims(desired, reported)).toEqual(expected);
  });

  it.each<[string, string, RegExp]>([
    ['the name of the default interface', 'blue@eth0', /"eth0" belongs to the pod's default network/],
    ['the loopback', 'blue@lo', /"lo" is reserved/],
  ])('cannot have %s', (_, element, message) => {
    expect(match([element], []).selections[0]?.conflict).toMatch(message);
  });

  it('cannot have the name of an interface that must stay', () => {
    const observed = observeAttachments([entry('sriov@data0')], []);
    const { selections } = matchSelections(elements('blue@data0'), observed, { mustStay: () => true });
    expect(selections[0]?.conflict).toMatch(/"data0" belongs to a device attachment on shop\/sriov/);
  });

  it('leave unclaimed what nobody means', () => {
    const { unclaimed } = match(['blue@data0'], [entry('blue@data0'), entry('red@net1')]);
    expect(unclaimed.map((target) => target.interface)).toEqual(['net1']);
  });
});
