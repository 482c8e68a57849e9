import { describe, expect, it } from 'vitest';
import { hasInfoSource, withInfoSource, withoutInfoSource } from './info-source.ts';

describe('infoSource', () => {
  it.each([
    [undefined, 'multus-status'],
    ['', 'multus-status'],
    ['domain', 'domain, multus-status'],
    ['domain, guest-agent', 'domain, guest-agent, multus-status'],
    ['domain, multus-status', 'domain, multus-status'],
    ['multus-status', 'multus-status'],
  ])('%j with multus-status is %j', (text, expected) => {
    expect(withInfoSource(text, 'multus-status')).toBe(expected);
  });

  it.each([
    [undefined, undefined],
    ['multus-status', undefined],
    ['domain', 'domain'],
    ['domain, multus-status', 'domain'],
    ['domain, multus-status, guest-agent', 'domain, guest-agent'],
  ])('%j without multus-status is %j', (text, expected) => {
    expect(withoutInfoSource(text, 'multus-status')).toBe(expected);
  });

  it('a longer word does not count', () => {
    expect(hasInfoSource('multus-status-old', 'multus-status')).toBe(false);
  });
});
