import { describe, expect, it } from 'vitest';
import { canonicalJson, goJson, isDeeperThan, isJsonObject, quote, shorten } from './json.ts';

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('isJsonObject', () => {
  it.each([
    ['an object is one', {}, true],
    ['a list is none', [], false],
    ['null is none', null, false],
    ['a text is none', '{}', false],
    ['nothing is none', undefined, false],
  ])('%s', (_, value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe('isDeeperThan', () => {
  it.each([
    ['a plain value has no depth', 5, 0, false],
    ['an empty object is one level', {}, 0, true],
    ['as many levels as allowed are allowed', { a: { b: 1 } }, 2, false],
    ['one level more is too deep', { a: { b: {} } }, 2, true],
    ['one deep branch among flat ones counts', { a: 1, b: [[]], c: 2 }, 2, true],
  ])('%s', (_, value, depth, expected) => {
    expect(isDeeperThan(value, depth)).toBe(expected);
  });

  it('allows 64 levels unless told otherwise', () => {
    expect([isDeeperThan(nested(64)), isDeeperThan(nested(65))]).toEqual([false, true]);
  });

  it('answers for 100,000 levels without exhausting the stack', () => {
    expect(isDeeperThan(nested(100_000))).toBe(true);
  });
});

describe('goJson', () => {
  it('escapes what encoding/json escapes, and nothing else', () => {
    expect(goJson({ '<k>': 'a&b\u2028\u2029', plain: 'é💥/"' })).toBe(
      '{"\\u003ck\\u003e":"a\\u0026b\\u2028\\u2029","plain":"é💥/\\""}',
    );
  });

  it('indents when asked to', () => {
    expect(goJson({ a: [1] }, 4)).toBe('{\n    "a": [\n        1\n    ]\n}');
  });
});

describe('canonicalJson', () => {
  it.each([
    ['the order of keys does not matter', { b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    ['the order of a list does matter', [2, 1], '[2,1]'],
    ['undefined members count as absent', { a: undefined, b: null }, '{"b":null}'],
    ['undefined in a list is null, as in JSON', [undefined], '[null]'],
    ['a text is quoted', 'a"b', '"a\\"b"'],
  ])('%s', (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it('keeps a key that is called __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });
});

describe('quote', () => {
  it.each([
    ['a text is quoted and its control characters escaped', 'a\n"', '"a\\n\\""'],
    ['an object is shown as JSON', { a: [1] }, '{"a":[1]}'],
    ['nothing has a name, too', undefined, 'undefined'],
    ['eighty characters are shown whole', 'x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['what is longer is cut and marked so', 'x'.repeat(79), `"${'x'.repeat(79)}…`],
  ])('%s', (_, value, expected) => {
    expect(quote(value)).toBe(expected);
  });

  it('regression: a value of 100,000 levels is named, not written out, which exhausted the stack', () => {
    expect(quote(nested(100_000))).toBe('a value of more than 64 levels');
  });

  it('regression: a cut never leaves half a character, which the API server would store as another text', () => {
    const cut = quote('💥'.repeat(60));
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.endsWith('…')).toBe(true);
  });
});

describe('shorten', () => {
  it('leaves short texts alone', () => {
    expect(shorten('abc', 3)).toBe('abc');
  });

  it('mends half characters wherever they are', () => {
    expect(shorten('a\ud83db💥', 4)).toBe('a\ufffdb\ufffd');
  });
});
