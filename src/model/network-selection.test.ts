import { describe, expect, it } from 'vitest';
import { requestSignature, type SelectionAttributes } from './network-selection.ts';

describe('requestSignature', () => {
  it.each<[string, SelectionAttributes, SelectionAttributes]>([
    ['keys in another order', { ips: ['10.0.0.5'], deviceId: 'x' }, { deviceId: 'x', ips: ['10.0.0.5'] }],
    ['cni-args in another order', { cniArgs: { a: 1, b: { c: 2, d: 3 } } }, { cniArgs: { b: { d: 3, c: 2 }, a: 1 } }],
    ['a MAC address in capitals', { mac: '02:00:00:00:00:0A' }, { mac: '02:00:00:00:00:0a' }],
    ['a MAC address with hyphens', { mac: '02-00-00-00-00-0a' }, { mac: '02:00:00:00:00:0a' }],
    ['a MAC address with dots', { mac: '0200.0000.000a' }, { mac: '02:00:00:00:00:0a' }],
  ])('is the same for %s', (_, a, b) => {
    expect(requestSignature(a)).toBe(requestSignature(b));
  });

  it.each<[string, SelectionAttributes, SelectionAttributes]>([
    ['another address', { ips: ['10.0.0.5'] }, { ips: ['10.0.0.6'] }],
    ['addresses in another order', { ips: ['10.0.0.5', '10.0.0.6'] }, { ips: ['10.0.0.6', '10.0.0.5'] }],
    ['another prefix length', { ips: ['10.0.0.5/24'] }, { ips: ['10.0.0.5/16'] }],
    ['another MAC address', { mac: '02:00:00:00:00:0a' }, { mac: '02:00:00:00:00:0b' }],
    ['an attribute more', {}, { cniArgs: {} }],
    ['other cni-args', { cniArgs: { a: 1 } }, { cniArgs: { a: '1' } }],
    ['another device', { deviceId: 'a' }, { deviceId: 'b' }],
    ['another bandwidth', { bandwidth: { ingressRate: 1 } }, { bandwidth: { ingressRate: 2 } }],
  ])('differs for %s', (_, a, b) => {
    expect(requestSignature(a)).not.toBe(requestSignature(b));
  });
});
