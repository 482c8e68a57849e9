import { describe, expect, it } from 'vitest';
import { composeStatus, hasSameEntries } from './compose-status.ts';
import type { StatusEntry } from './network-status.ts';
import { observeAttachments } from './observe-attachments.ts';
import { defaultEntry, entry, record } from './test-builders.ts';

const interfaces = (entries: readonly StatusEntry[]) => entries.map((each) => each.interface);

describe('composeStatus', () => {
  const strange = { name: 'flannel', interface: 'net9', 'x-vendor': { kept: true } };

  it('puts the default entry first, strangers next, then the order of the annotation, then the rest', () => {
    const reported = [entry('sriov@dev0'), entry('red@net2'), strange, entry('blue@net1'), defaultEntry];
    const attached = observeAttachments(reported, []);
    expect(interfaces(composeStatus(attached, ['net1', 'net2']))).toEqual(['eth0', 'net9', 'net1', 'net2', 'dev0']);
  });

  it('gives back entries of others as they were, unknown fields included', () => {
    const attached = observeAttachments([strange, defaultEntry], []);
    expect(composeStatus(attached, [])).toEqual([defaultEntry, strange]);
    expect(composeStatus(attached, [])[1]).toBe(strange);
  });

  it('reports every interface that one element made, together', () => {
    const ours = record('blue@a', { entries: [entry('blue@a'), entry('blue@a.1')] });
    const attached = observeAttachments([defaultEntry, entry('red@b')], [ours]);
    expect(interfaces(composeStatus(attached, ['a', 'b']))).toEqual(['eth0', 'a', 'a.1', 'b']);
  });

  it('reports what the ledger holds, not what the status said', () => {
    const ours = record('blue@a', { entries: [entry('blue@a', { ips: ['10.0.0.5'] })] });
    const attached = observeAttachments([entry('blue@a', { ips: ['10.0.0.4'] })], [ours]);
    expect(composeStatus(attached, ['a'])).toEqual(ours.entries);
  });

  it('keeps the reported order of what nobody asks for', () => {
    const attached = observeAttachments([entry('red@z'), entry('red@a')], []);
    expect(interfaces(composeStatus(attached, []))).toEqual(['z', 'a']);
  });
});

describe('hasSameEntries', () => {
  it.each<[string, StatusEntry[], StatusEntry[], boolean]>([
    [
      'the same in another order is the same',
      [entry('blue@a'), entry('red@b')],
      [entry('red@b'), entry('blue@a')],
      true,
    ],
    ['fields in another order are the same', [{ name: 'a', mac: 'x' }], [{ mac: 'x', name: 'a' }], true],
    ['an entry more is a difference', [entry('blue@a')], [entry('blue@a'), entry('red@b')], false],
    ['an entry twice is no two entries', [entry('blue@a'), entry('blue@a')], [entry('blue@a'), entry('red@b')], false],
    ['another address is a difference', [entry('blue@a', { ips: ['1'] })], [entry('blue@a', { ips: ['2'] })], false],
    ['nothing is nothing', [], [], true],
  ])('%s', (_, a, b, expected) => {
    expect(hasSameEntries(a, b)).toBe(expected);
  });
});
