import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from './json.ts';
import { elementSpans, withElementFields } from './networks-text.ts';
import { parseNetworks } from './parse-networks.ts';

const edit = (text: string, fields: Record<number, object>): string => {
  const parsed = parseNetworks(text, 'ns1');
  if (!parsed.ok) throw new Error('the annotation of the test is malformed');
  const given = Object.entries(fields).map(([index, value]): [number, { [key: string]: unknown }] => [
    Number(index),
    { ...value },
  ]);
  return withElementFields(text, parsed.selections, new Map(given));
};

describe('an element', () => {
  it.each<[string, string, Record<number, object>, string]>([
    [
      'gets a field at its end; its neighbours keep every byte',
      '[ {"name":"a", "cni-args":{"n":1e400}} ,{"name":"b"}  ,\n{"name":"c","x":"}],["}]',
      { 1: { 'ipam-claim-reference': 'vm.b' } },
      '[ {"name":"a", "cni-args":{"n":1e400}} ,{"name":"b","ipam-claim-reference":"vm.b"}  ,\n{"name":"c","x":"}],["}]',
    ],
    [
      'keeps what it had, to the byte',
      '[{"name":"a", "cni-args":{"n":12345678901234567890} }]',
      { 0: { ips: ['10.0.0.1/24'] } },
      '[{"name":"a", "cni-args":{"n":12345678901234567890},"ips":["10.0.0.1/24"]}]',
    ],
    [
      'that has the fields already stays as it is',
      '[{"ipam-claim-reference":"r","name":"a","ips":["10.0.0.1/24"]}]',
      { 0: { ips: ['10.0.0.1/24'], 'ipam-claim-reference': 'r' } },
      '[{"ipam-claim-reference":"r","name":"a","ips":["10.0.0.1/24"]}]',
    ],
    [
      'loses another value of the field, however it is spelled',
      '[{"name":"a","IPs":["10.0.0.9"],"ips":["10.0.0.8"],"mac":"02:00:00:00:00:01"}]',
      { 0: { ips: ['10.0.0.1/24'] } },
      '[{"name":"a","mac":"02:00:00:00:00:01","ips":["10.0.0.1/24"]}]',
    ],
    [
      'of the short form makes all of them objects',
      'a@x, other/b',
      { 1: { 'ipam-claim-reference': 'r' } },
      '[{"name":"a","namespace":"ns1","interface":"x"},{"name":"b","namespace":"other","ipam-claim-reference":"r"}]',
    ],
    ['that nobody wants anything of changes nothing', 'a@x, other/b', {}, 'a@x, other/b'],
  ])('%s', (_, text, fields, expected) => {
    expect(edit(text, fields)).toBe(expected);
  });
});

it('finds every element of any list in its text', () => {
  const list = fc.array(fc.jsonValue(), { maxLength: 5 });
  fc.assert(
    fc.property(list, fc.constantFrom(undefined, 1, '\t'), (elements, space) => {
      const text = JSON.stringify(elements, null, space);
      const found = elementSpans(text).map(({ start, end }) => JSON.parse(text.slice(start, end)));
      expect(found).toEqual(JSON.parse(text));
    }),
  );
});

it('gives exactly the elements that were meant what they should have', () => {
  const element = fc.record({ name: fc.constantFrom('a', 'b'), note: fc.jsonValue() }).map((value) => ({ ...value }));
  const fields = { ips: ['10.0.0.1/24'], 'ipam-claim-reference': 'a"<r' };
  fc.assert(
    fc.property(
      fc.array(element, { minLength: 1 }),
      fc.nat(),
      fc.constantFrom(undefined, 2),
      (elements, pick, space) => {
        const index = pick % elements.length;
        const edited: unknown = JSON.parse(edit(JSON.stringify(elements, null, space), { [index]: fields }));
        const plain: unknown[] = JSON.parse(JSON.stringify(elements));
        const expected = plain.map((value, at) =>
          at === index && isJsonObject(value) ? { ...value, ...fields } : value,
        );
        expect(edited).toEqual(expected);
      },
    ),
  );
});
