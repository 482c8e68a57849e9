import { describe, expect, it } from 'vitest';
import { canonicalAddress, canonicalMac } from './address.ts';

describe('canonicalAddress', () => {
  it.each([
    ['an IPv4 address stays', '10.0.0.5', '10.0.0.5'],
    ['a prefix length is dropped', '10.0.0.5/24', '10.0.0.5'],
    ['IPv6 is written in its shortest form', 'FD00:0:0::0005/64', 'fd00::5'],
    ['text that is no address stays, prefix included', 'gateway/24', 'gateway/24'],
    ['an empty text stays', '', ''],
  ])('%s', (_, text, expected) => {
    expect(canonicalAddress(text)).toBe(expected);
  });
});

describe('canonicalMac', () => {
  it.each([
    ['colons stay', '02:00:00:00:00:0a', '02:00:00:00:00:0a'],
    ['capitals become small', '02:00:00:00:00:0A', '02:00:00:00:00:0a'],
    ['hyphens become colons', '02-00-00-00-00-0a', '02:00:00:00:00:0a'],
    ['dots become colons', '0200.0000.000a', '02:00:00:00:00:0a'],
    ['text that is no address stays', 'Gateway', 'Gateway'],
    ['an empty text stays', '', ''],
  ])('%s', (_, text, expected) => {
    expect(canonicalMac(text)).toBe(expected);
  });
});
