import { describe, expect, it } from 'vitest';
import { type ParsedNetworks, parseNetworks } from './parse-networks.ts';

/** What the API server lets annotations hold in all. */
const ANNOTATION_BYTES = 256 * 1024;
/** Of processor time, which other work on the machine does not change: nothing here may grow with the square of the input. */
const BOUND_MS = 3000;

const parseInTime = (text: string): ParsedNetworks => {
  const started = process.cpuUsage();
  const parsed = parseNetworks(text, 'shop');
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(BOUND_MS);
  return parsed;
};

const deep = (open: string, close: string, levels = 100_000) => open.repeat(levels) + close.repeat(levels);

describe('parseNetworks: huge texts end in bounded time', () => {
  it.each([
    ['one name', 'a'.repeat(ANNOTATION_BYTES), 1],
    ['a name that almost matches', `${'a'.repeat(ANNOTATION_BYTES - 1)}-`, 1],
    ['commas', ','.repeat(ANNOTATION_BYTES), 1],
    ['spaces within an item', `a${' '.repeat(ANNOTATION_BYTES)}b`, 1],
    ['at signs', '@'.repeat(ANNOTATION_BYTES), 1],
    ['one interface name, many times', 'a@b,'.repeat(ANNOTATION_BYTES / 4).slice(0, -1), 1],
    ['numbers in a list', `[${'0,'.repeat(ANNOTATION_BYTES / 2 - 2)}0]`, 1],
    ['a MAC address that never ends', JSON.stringify([{ name: 'a', mac: '02:'.repeat(80_000) }]), 1],
    ['an address that never ends', JSON.stringify([{ name: 'a', ips: ['1:'.repeat(120_000)] }]), 1],
  ])('%s', (_, text, problems) => {
    const parsed = parseInTime(text);
    expect(parsed.ok ? 0 : parsed.problems.length).toBe(problems);
  });

  it('refuses 10,000 sound elements', () => {
    const elements = Array.from({ length: 10_000 }, (_, i) => ({ name: `net-${i}`, interface: `i${i}` }));
    expect(parseInTime(JSON.stringify(elements)).ok).toBe(false);
  });

  it('reads a large cni-args of few levels', () => {
    const args = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key-${i}`, i]));
    expect(parseInTime(JSON.stringify([{ name: 'a', 'cni-args': args }])).ok).toBe(true);
  });
});

describe('regression: 100,000 levels of nesting are a problem of the element, not a stack overflow', () => {
  it.each([
    ['as the whole text', deep('[', ']'), 'element 1: must be an object'],
    ['as an object', `${deep('{"a":', '}').replace('}', '1}')}`, 'must be a JSON list of elements'],
    [
      'in cni-args',
      `[{"name":"a","cni-args":${deep('{"a":', '}').replace('}', '1}')}}]`,
      'element 1: cni-args must be',
    ],
    ['as a name', `[{"name":${deep('[', ']')}}]`, 'element 1: name a value of more than 64 levels is not'],
    ['as an address', `[{"name":"a","ips":[${deep('[', ']')}]}]`, 'element 1: ips has a value of more than 64 levels'],
    ['as a port mapping', `[{"name":"a","portMappings":[{"x":${deep('[', ']')}}]}]`, 'element 1: portMappings has'],
    ['as an interface name', `[{"name":"a","interface":${deep('[', ']')}}]`, 'element 1: interface a value of more'],
    ['as a MAC address', `[{"name":"a","mac":${deep('[', ']')}}]`, 'element 1: mac a value of more'],
  ])('%s', (_, text, message) => {
    const parsed = parseInTime(text);
    expect(parsed).toEqual({ ok: false, problems: [expect.objectContaining({ message: expect.any(String) })] });
    expect(parsed.ok ? '' : parsed.problems[0]?.message).toContain(message);
  });

  it('64 levels of cni-args are allowed, 65 are not', () => {
    const withLevels = (levels: number) =>
      parseNetworks(`[{"name":"a","cni-args":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}]`, 'shop').ok;
    expect([withLevels(64), withLevels(65)]).toEqual([true, false]);
  });
});

describe('parseNetworks: keys that could reach a prototype', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort();

  it.each([
    ['__proto__ in an element', '[{"name":"a","__proto__":{"interface":"evil","polluted":true}}]'],
    ['constructor in an element', '[{"name":"a","constructor":{"prototype":{"polluted":true}}}]'],
    ['prototype in an element', '[{"name":"a","prototype":{"polluted":true}}]'],
    [
      'all of them in cni-args',
      '[{"name":"a","cni-args":{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}}]',
    ],
  ])('%s changes nothing but the element', (_, text) => {
    const parsed = parseNetworks(text, 'shop');
    expect(parsed.ok && parsed.selections[0]?.network).toBe('shop/a');
    expect(parsed.ok && parsed.selections[0]).not.toHaveProperty('interface');
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  });

  it('cni-args keep a key called __proto__ as data', () => {
    const parsed = parseNetworks('[{"name":"a","cni-args":{"__proto__":{"b":1}}}]', 'shop');
    expect(JSON.stringify(parsed.ok && parsed.selections[0]?.attributes)).toBe('{"cniArgs":{"__proto__":{"b":1}}}');
  });
});

describe('more elements than any pod needs', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: 'blue', interface: `x${index}` }));

  it.each([
    ['a list', (count: number) => JSON.stringify(many(count))],
    [
      'the short form',
      (count: number) =>
        many(count)
          .map(({ name, interface: iface }) => `${name}@${iface}`)
          .join(','),
    ],
  ])('are refused as a whole, with one problem, in %s', (_, format) => {
    expect(parseNetworks(format(100), 'shop').ok).toBe(true);
    expect(parseNetworks(format(101), 'shop')).toEqual({
      ok: false,
      problems: [{ index: undefined, message: 'has 101 elements; at most 100 are allowed' }],
    });
  });
});
