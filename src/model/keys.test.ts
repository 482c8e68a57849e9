import { describe, expect, it } from 'vitest';
import { findNetworkName, networkName, podKey, splitName } from './keys.ts';

describe('keys', () => {
  it('are namespace and name', () => {
    expect([podKey('shop', 'web'), networkName('shop', 'blue')]).toEqual(['shop/web', 'shop/blue']);
  });

  it.each([
    ['two parts are a name', 'shop/blue', { namespace: 'shop', name: 'blue' }],
    ['one part is none', 'blue', undefined],
    ['three parts are none', 'a/b/c', undefined],
    ['an empty namespace is none', '/blue', undefined],
    ['an empty name is none', 'shop/', undefined],
    ['nothing is none', '', undefined],
  ])('%s', (_, text, expected) => {
    expect(splitName(text)).toEqual(expected);
    expect(findNetworkName(text)).toBe(expected && text);
  });
});
