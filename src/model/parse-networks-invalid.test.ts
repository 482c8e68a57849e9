import { describe, expect, it } from 'vitest';
import { parseNetworks, type SelectionProblem } from './parse-networks.ts';

const problemsOf = (text: string): readonly SelectionProblem[] => {
  const parsed = parseNetworks(text, 'shop');
  return parsed.ok ? [] : parsed.problems;
};

/** One element after a sound one: messages must name the second. */
const second = (fields: object) => JSON.stringify([{ name: 'fine' }, { name: 'blue', ...fields }]);

describe('parseNetworks: texts that cannot be read at all', () => {
  it.each([
    ['a list that is not closed', '[{"name":"a"}', 'not valid JSON: '],
    ['a trailing comma in JSON', '[{"name":"a"},]', 'not valid JSON: '],
    ['quotes around the short form', '"blue,red"', 'must be a JSON list of elements, got "blue,red"'],
    ['an object in place of a list', '{"name":"a"}', 'must be a JSON list of elements, got {"name":"a"}'],
    ['single quotes', "[{'name':'a'}]", 'not valid JSON: '],
    ['two lists', '[] []', 'not valid JSON: '],
    ['a byte order mark and a broken list', '\ufeff[{', 'not valid JSON: '],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([{ index: undefined, message: expect.stringContaining(message) }]);
  });

  it('regression: a syntax error beside an emoji does not put half of it into the message', () => {
    const [problem] = problemsOf(`[${'💥'.repeat(30)}`);
    expect(problem?.message.isWellFormed()).toBe(true);
  });
});

describe('parseNetworks: elements of JSON', () => {
  it.each([
    ['null is no element', '[{"name":"a"},null]', 'element 2: must be an object with a "name", got null'],
    ['a number is no element', '[{"name":"a"},5]', 'element 2: must be an object with a "name", got 5'],
    ['a text is no element', '[{"name":"a"},"blue"]', 'element 2: must be an object with a "name", got "blue"'],
    ['a list is no element', '[{"name":"a"},[]]', 'element 2: must be an object with a "name", got []'],
    ['the name is missing', '[{"name":"a"},{}]', 'element 2: name is missing'],
    ['the name is null', '[{"name":"a"},{"name":null}]', 'element 2: name is missing'],
    ['the name is empty', '[{"name":"a"},{"name":""}]', 'element 2: name is missing'],
    [
      'the name is a number',
      '[{"name":"a"},{"name":5}]',
      'element 2: name 5 is not a NetworkAttachmentDefinition name',
    ],
    ['the name has capitals', second({ name: 'Blue' }), 'element 2: name "Blue" is not a NetworkAttachmentDefinition'],
    ['the name holds a namespace', second({ name: 'a/b' }), 'element 2: name "a/b" is not'],
    ['the name climbs up', second({ name: '../secrets' }), 'element 2: name "../secrets" is not'],
    ['the name ends in a hyphen', second({ name: 'blue-' }), 'element 2: name "blue-" is not'],
    ['the name is too long', second({ name: 'a'.repeat(254) }), 'element 2: name "aaaa'],
    ['the namespace has an underscore', second({ namespace: 'a_b' }), 'element 2: namespace "a_b" is not'],
    ['the namespace has a dot', second({ namespace: 'a.b' }), 'element 2: namespace "a.b" is not'],
    ['the namespace is too long', second({ namespace: 'a'.repeat(64) }), 'element 2: namespace "aaaa'],
    ['the namespace is a number', second({ namespace: 0 }), 'element 2: namespace 0 is not'],
    ['the interface is a number', second({ interface: 5 }), 'element 2: interface 5 must be a text'],
    ['the obsolete name is a list', second({ interfaceRequest: [] }), 'element 2: interface [] must be a text'],
    ['ips are not a list', second({ ips: '10.0.0.1' }), 'element 2: ips must be a list, got "10.0.0.1"'],
    ['default-route is not a list', second({ 'default-route': {} }), 'element 2: default-route must be a list, got {}'],
    [
      'a route is a CIDR',
      second({ 'default-route': ['10.0.0.0/8'] }),
      'element 2: default-route has "10.0.0.0/8", which',
    ],
    ['cni-args are a list', second({ 'cni-args': [] }), 'element 2: cni-args must be an object'],
    [
      'cni-args are a text',
      second({ 'cni-args': 'a=b' }),
      'element 2: cni-args must be an object of at most 64 levels, got',
    ],
    ['bandwidth is a number', second({ bandwidth: 5 }), 'element 2: bandwidth must be an object'],
    ['portMappings are an object', second({ portMappings: {} }), 'element 2: portMappings must be a list, got {}'],
    [
      'a port mapping is a number',
      second({ portMappings: [80] }),
      'element 2: portMappings has 80, which is not an object',
    ],
    [
      'the device is a path upwards',
      second({ deviceID: 'a b' }),
      'element 2: deviceID "a b" is not a device identifier',
    ],
    ['the device is a number', second({ deviceID: 5 }), 'element 2: deviceID 5 is not a device identifier'],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([{ index: 1, message: expect.stringContaining(message) }]);
  });

  it.each([
    ['zero', 0],
    ['false', false],
  ])('regression: an interface that is %s is a mistake, not an unnamed interface', (_, value) => {
    expect(problemsOf(second({ interface: value, interfaceRequest: 'old0' }))).toEqual([
      { index: 1, message: `element 2: interface ${value} must be a text` },
    ]);
  });
});

describe('parseNetworks: interface names that the kernel refuses', () => {
  it.each([
    ['sixteen bytes', 'abcdefghijklmnop', 'is 16 bytes long; at most 15 are allowed'],
    ['eight characters of two bytes', 'éééééééé', 'is 16 bytes long'],
    ['four emojis', '💥💥💥💥', 'is 16 bytes long'],
    ['a space', 'a b', 'must not contain spaces'],
    ['a no-break space', 'a\u00a0b', 'must not contain spaces'],
    ['a slash', 'a/b', 'must not contain spaces, "/", ":"'],
    ['a colon', 'eth0:1', 'must not contain spaces, "/", ":"'],
    ['a line break', 'a\nb', 'control characters'],
    ['a zero byte', 'a\u0000', 'control characters'],
    ['a delete character', 'a\u007f', 'control characters'],
    ['a single dot', '.', 'must not be "." or ".."'],
    ['two dots', '..', 'must not be "." or ".."'],
  ])('%s', (_, name, message) => {
    const [problem, ...others] = problemsOf(second({ interface: name }));
    expect(others).toEqual([]);
    expect(problem?.message).toContain(`element 2: interface ${JSON.stringify(name)} `);
    expect(problem?.message).toContain(message);
  });
});

describe('parseNetworks: addresses that are none', () => {
  it.each([
    ['five bytes', '02:00:00:00:01'],
    ['seven bytes', '02:00:00:00:00:00:01'],
    ['mixed separators', '02:00-00:00:00:01'],
    ['letters beyond f', '0g:00:00:00:00:01'],
    ['no separators', '020000000001'],
    ['single digits', '2:0:0:0:0:1'],
    ['fours with colons', '0200:0000:0001'],
    ['a trailing space', '02:00:00:00:00:01 '],
    ['a number', 5],
    ['a list', ['02:00:00:00:00:01']],
  ])('a MAC address of %s', (_, mac) => {
    const message = `mac ${JSON.stringify(mac)} is not a MAC address such as 02:00:00:00:00:01`;
    expect(problemsOf(second({ mac }))).toEqual([{ index: 1, message: `element 2: ${message}` }]);
    expect(problemsOf(second({ 'infiniband-guid': mac }))[0]?.message).toContain('infiniband-guid');
  });

  it.each([
    ['four parts of which one is too high', '10.0.0.256'],
    ['three parts', '10.0.1'],
    ['one number', '167772161'],
    ['leading zeros', '010.0.0.1'],
    ['hexadecimal parts', '0xa.0.0.1'],
    ['leading zeros in IPv6 notation', '::ffff:010.0.0.1'],
    ['two gaps', '1::2::3'],
    ['an IPv6 part that is too long', '12345::'],
    ['an IPv4 prefix out of range', '10.0.0.1/33'],
    ['an IPv6 prefix out of range', 'fd00::1/129'],
    ['an empty prefix', '10.0.0.1/'],
    ['a negative prefix', '10.0.0.1/-1'],
    ['two prefixes', '10.0.0.1/24/24'],
    ['a host name', 'gateway'],
    ['an empty text', ''],
    ['a space before it', ' 10.0.0.1'],
    ['a number', 5],
    ['null', null],
  ])('an IP address of %s', (_, ip) => {
    const message = `element 2: ips has ${JSON.stringify(ip)}, which is not an IP address or CIDR`;
    expect(problemsOf(second({ ips: ['10.0.0.9', ip] }))).toEqual([{ index: 1, message }]);
  });

  it('regression: an IPv6 address with a zone is refused, as Multus refuses it', () => {
    expect(problemsOf(second({ ips: ['fe80::1%eth0'] }))).toHaveLength(1);
  });
});

describe('parseNetworks: items of the short form', () => {
  it.each([
    ['an empty item between two', 'a,,b', 1, 'name is missing'],
    ['a trailing comma', 'a,', 1, 'name is missing'],
    ['only a comma', ',', 0, 'name is missing'],
    ['an interface without a network', '@x', 0, 'name is missing'],
    ['a namespace without a network', 'a/', 0, 'name is missing'],
    ['three parts', 'a/b/c', 0, '"a/b/c" is not of the form [namespace/]name[@interface]'],
    ['two interface names', 'a@b@c', 0, '"a@b@c" is not of the form'],
    ['a slash in the interface name', 'a@b/c', 0, '"a@b/c" is not of the form'],
    ['capitals', 'Blue', 0, 'name "Blue" is not'],
    ['a space inside the name', 'blue red', 0, 'name "blue red" is not'],
    ['a namespace with a dot', 'a.b/blue', 0, 'namespace "a.b" is not'],
    ['an interface name that is too long', 'blue@abcdefghijklmnop', 0, 'interface "abcdefghijklmnop" is 16 bytes long'],
    ['Unicode in a name', 'blå', 0, 'name "blå" is not'],
  ])('%s', (_, text, index, message) => {
    const problems = problemsOf(text).filter((problem) => problem.index === index);
    expect(problems).toEqual([{ index, message: expect.stringContaining(`element ${index + 1}: ${message}`) }]);
  });
});

describe('parseNetworks: several problems', () => {
  it('tells of every one, each with its element', () => {
    const text = JSON.stringify([{ name: 'A', mac: 'x' }, 5, { name: 'fine' }, { ips: ['y'] }]);
    expect(problemsOf(text).map(({ index }) => index)).toEqual([1, 0, 0, 3, 3]);
  });

  it.each([
    ['in JSON', '[{"name":"a","interface":"x"},{"name":"b"},{"name":"c","interface":"x"}]'],
    ['in the short form', 'a@x,b,c@x'],
  ])('refuses an interface name that two elements ask for, %s', (_, text) => {
    expect(problemsOf(text)).toEqual([
      { index: 2, message: 'element 3: interface "x" is already used by element 1; names must be unique' },
    ]);
  });

  it('names the first user of an interface name, however many ask for it', () => {
    expect(problemsOf('a@x,b@x,c@x').map(({ message }) => message)).toEqual([
      expect.stringContaining('element 2: interface "x" is already used by element 1'),
      expect.stringContaining('element 3: interface "x" is already used by element 1'),
    ]);
  });
});
