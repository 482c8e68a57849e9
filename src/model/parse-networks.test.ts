import { describe, expect, it } from 'vitest';
import type { NetworkSelection } from './network-selection.ts';
import { parseNetworks } from './parse-networks.ts';

const selectionsOf = (text: string | undefined, namespace = 'shop'): readonly NetworkSelection[] => {
  const parsed = parseNetworks(text, namespace);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.selections;
};

/** The attributes that the one element of a JSON annotation is read as. */
const attributesOf = (fields: object) => selectionsOf(JSON.stringify([{ name: 'blue', ...fields }]))[0]?.attributes;

describe('parseNetworks: nothing wanted', () => {
  it.each([
    ['no annotation', undefined],
    ['an empty annotation', ''],
    ['an annotation of spaces, tabs and line breaks', ' \t\r\n '],
    ['an empty JSON list', '[]'],
    ['an empty JSON list among spaces', ' [ ] '],
  ])('%s asks for no networks', (_, text) => {
    expect(selectionsOf(text)).toEqual([]);
  });
});

describe('parseNetworks: the short form', () => {
  it.each([
    ['a name alone is in the namespace of the pod', 'blue', [{ index: 0, network: 'shop/blue', attributes: {} }]],
    ['a namespace can be given', 'infra/blue', [{ index: 0, network: 'infra/blue', attributes: {} }]],
    [
      'an interface name can be given',
      'infra/blue@data0',
      [{ index: 0, network: 'infra/blue', interface: 'data0', attributes: {} }],
    ],
    [
      'several items are read in order, with spaces around every part',
      ' blue , infra / red @ data0 ',
      [
        { index: 0, network: 'shop/blue', attributes: {} },
        { index: 1, network: 'infra/red', interface: 'data0', attributes: {} },
      ],
    ],
    ['an empty namespace means that of the pod, as in Multus', '/blue', [{ network: 'shop/blue' }]],
    ['an empty interface name means none, as in Multus', 'blue@', [{ network: 'shop/blue' }]],
    ['one network may be wanted twice', 'blue@a,blue@b', [{ interface: 'a' }, { interface: 'b' }]],
    ['two unnamed items on one network are two interfaces', 'blue,blue', [{ index: 0 }, { index: 1 }]],
    ['words of JSON are names here', 'null,true,5', [{ network: 'shop/null' }, { network: 'shop/true' }, {}]],
  ])('%s', (_, text, expected) => {
    expect(selectionsOf(text)).toMatchObject(expected);
  });

  it('an item that names no interface has no such field', () => {
    expect(selectionsOf('blue@')[0]).not.toHaveProperty('interface');
  });
});

describe('parseNetworks: the JSON form', () => {
  it('reads every field', () => {
    const element = {
      name: 'blue',
      namespace: 'infra',
      interface: 'data0',
      ips: ['10.0.0.5/24', 'fd00::5'],
      mac: '02:00:00:00:00:01',
      'infiniband-guid': '02:00:00:00:00:00:00:01',
      portMappings: [{ hostPort: 80, containerPort: 8080 }],
      bandwidth: { ingressRate: 1 },
      deviceID: '0000:65:00.2',
      'cni-args': { logicNetworkName: 'pl1' },
      'default-route': ['10.0.0.1'],
      'ipam-claim-reference': 'vm.blue',
    };
    expect(selectionsOf(JSON.stringify([element]))).toEqual([
      {
        index: 0,
        network: 'infra/blue',
        interface: 'data0',
        attributes: {
          ips: element.ips,
          mac: element.mac,
          cniArgs: element['cni-args'],
          infinibandGuid: element['infiniband-guid'],
          portMappings: element.portMappings,
          bandwidth: element.bandwidth,
          deviceId: element.deviceID,
          defaultRoute: element['default-route'],
        },
      },
    ]);
  });

  it('leaves empty values out, so that they do not make a request look changed', () => {
    const empty = {
      interface: '',
      namespace: '',
      ips: [],
      mac: '',
      portMappings: [],
      deviceID: '',
      'default-route': [],
    };
    expect(selectionsOf(JSON.stringify([{ name: 'blue', ...empty, 'infiniband-guid': '' }]))).toEqual([
      { index: 0, network: 'shop/blue', attributes: {} },
    ]);
  });

  it('takes null for absent, as Go does', () => {
    const text = '[{"name":"blue","namespace":null,"interface":null,"ips":null,"mac":null,"cni-args":null}]';
    expect(selectionsOf(text)).toEqual([{ index: 0, network: 'shop/blue', attributes: {} }]);
  });

  it.each([
    ['capitals', { NAME: 'blue', Namespace: 'infra', INTERFACE: 'data0' }],
    ['mixed spelling', { nAmE: 'blue', nameSPACE: 'infra', Interface: 'data0' }],
  ])('matches field names without regard to case, as Go does: %s', (_, element) => {
    expect(selectionsOf(JSON.stringify([element]))).toMatchObject([{ network: 'infra/blue', interface: 'data0' }]);
  });

  it.each([
    ['Ips', { ips: ['10.0.0.5'] }, { Ips: ['10.0.0.5'] }],
    ['CNI-Args', { cniArgs: { Keep: 'Case' } }, { 'CNI-Args': { Keep: 'Case' } }],
    ['deviceid', { deviceId: '0000:65:00.2' }, { deviceid: '0000:65:00.2' }],
    ['PORTMAPPINGS', { portMappings: [{ hostPort: 1 }] }, { PORTMAPPINGS: [{ hostPort: 1 }] }],
  ])('reads %s in any case', (_, expected, fields) => {
    expect(attributesOf(fields)).toEqual(expected);
  });

  it.each([
    ['the obsolete interfaceRequest names the interface', { interfaceRequest: 'old0' }, 'old0'],
    ['interface wins over the obsolete one', { interface: 'new0', interfaceRequest: 'old0' }, 'new0'],
    ['an empty interface gives way to the obsolete one', { interface: '', interfaceRequest: 'old0' }, 'old0'],
  ])('%s', (_, fields, expected) => {
    expect(selectionsOf(JSON.stringify([{ name: 'blue', ...fields }]))[0]?.interface).toBe(expected);
  });

  it.each([
    ['fifteen bytes', 'abcdefghijklmno'],
    ['punctuation', 'eth0.100_a-b+c'],
    ['Unicode of fifteen bytes', 'ééééééé0'],
    ['dots that are not "." or ".."', '...'],
  ])('takes an interface name of %s', (_, name) => {
    expect(selectionsOf(JSON.stringify([{ name: 'blue', interface: name }]))[0]?.interface).toBe(name);
  });

  it.each([
    ['colons', '02:00:00:00:00:0A'],
    ['hyphens', '02-00-00-00-00-0a'],
    ['dots', '0200.0000.000a'],
    ['8 bytes with colons', '02:00:00:00:00:00:00:01'],
    ['8 bytes with dots', '0200.0000.0000.0001'],
    ['20 bytes with hyphens', Array(20).fill('0a').join('-')],
    ['20 bytes with dots', Array(10).fill('0a0b').join('.')],
  ])('takes a MAC address with %s', (_, mac) => {
    expect(attributesOf({ mac })).toEqual({ mac });
  });

  it.each([
    ['an IPv4 address', '10.0.0.5'],
    ['an IPv4 CIDR', '10.0.0.5/0'],
    ['an IPv6 address', 'fd00:0::5'],
    ['an IPv6 CIDR', 'fd00::5/128'],
    ['an IPv4 address in IPv6 notation', '::ffff:10.0.0.5'],
    ['a prefix length with a leading zero, as Go does', '10.0.0.5/08'],
  ])('takes %s', (_, ip) => {
    expect(attributesOf({ ips: [ip] })).toEqual({ ips: [ip] });
  });
});
