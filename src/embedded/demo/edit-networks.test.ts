import { describe, expect, it } from 'vitest';
import { plugInto, unplugFrom } from './edit-networks.ts';

const entry = (name: string, network: string) => ({ name: network, interface: name, ips: ['10.0.0.1'] });
const two = [entry('net1', 'default/blue'), entry('net2', 'default/blue')];

describe('plugInto', () => {
  it.each([
    ['no annotation', undefined, { network: 'blue' }, 'blue'],
    ['short form', 'blue', { network: 'infra/storage', interface: 'd0' }, 'blue, infra/storage@d0'],
    [
      'JSON form',
      '[{"name":"blue"}]',
      { network: 'infra/storage', interface: 'd0' },
      '[{"name":"blue"},{"name":"storage","namespace":"infra","interface":"d0"}]',
    ],
    [
      'JSON form keeps what it does not know',
      '[{"name":"blue","x":1}]',
      { network: 'red' },
      '[{"name":"blue","x":1},{"name":"red"}]',
    ],
    [
      'short form that must become JSON',
      'blue@a, infra/storage',
      { network: 'red', ip: '10.1.1.1/24', mac: '02:00:00:00:00:01' },
      '[{"name":"blue","interface":"a"},{"name":"storage","namespace":"infra"},{"name":"red","ips":["10.1.1.1/24"],"mac":"02:00:00:00:00:01"}]',
    ],
  ])('%s', (_, text, element, expected) => {
    expect(plugInto(text, element, 'default')).toEqual({ ok: true, text: expected });
  });

  it('refuses to add to what cannot be read', () => {
    expect(plugInto('[{', { network: 'blue' }, 'default')).toMatchObject({ ok: false });
  });
});

describe('unplugFrom', () => {
  it.each([
    ['a named one', 'blue@net1, red@r0', 'r0', [], 'blue@net1'],
    ['the last one', 'blue', 'net1', two.slice(0, 1), undefined],
    [
      'an unnamed one, found by the status',
      'blue, red',
      'net1',
      [entry('net1', 'default/red'), entry('net7', 'default/blue')],
      'blue',
    ],
    ['one of two unnamed ones: the other keeps its interface', 'blue, blue', 'net1', two, 'blue@net2'],
    [
      'the same in JSON',
      '[{"name":"blue"},{"name":"blue","x":1}]',
      'net1',
      two,
      '[{"name":"blue","x":1,"interface":"net2"}]',
    ],
  ])('%s', (_, text, name, reported, expected) => {
    expect(unplugFrom(text, name, reported, 'default')).toEqual({ ok: true, text: expected });
  });

  it('names what there is when there is no such interface', () => {
    expect(unplugFrom('blue@a, red@b', 'c', [], 'default')).toEqual({
      ok: false,
      problem: 'no element of the annotation means interface "c"; there are: a, b',
    });
  });
});
