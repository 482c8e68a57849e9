import { describe, expect, it } from 'vitest';
import type { AttachmentState } from './attachment-record.ts';
import type { StatusEntry } from './network-status.ts';
import { observeAttachments } from './observe-attachments.ts';
import { defaultEntry, entry, record } from './test-builders.ts';

const describeEach = (...input: Parameters<typeof observeAttachments>) =>
  observeAttachments(...input).map((target) => `${target.origin} ${target.interface}`);

describe('what network-status alone tells', () => {
  it.each<[string, StatusEntry, string]>([
    ['the default network is foreign', defaultEntry, 'foreign eth0'],
    ['a default network that has a full name is foreign', entry('shop/blue@eth0', { default: true }), 'foreign eth0'],
    ['a name without a namespace is foreign', { name: 'flannel', interface: 'net1' }, 'foreign net1'],
    ['a name of three parts is foreign', { name: 'a/b/c', interface: 'net1' }, 'foreign net1'],
    ['an entry without an interface is foreign', { name: 'shop/blue' }, 'foreign undefined'],
    ['an entry with an empty interface is foreign', { name: 'shop/blue', interface: '' }, 'foreign '],
    ['a network that every pod gets is foreign', entry('kube-system/mon@net1'), 'foreign net1'],
    ['the name of the default network’s interface is foreign, whoever claims it', entry('blue@eth0'), 'foreign eth0'],
    ['lo is foreign, whoever claims it', entry('blue@lo'), 'foreign lo'],
    ['any other came with the pod', entry('blue@net1'), 'creation net1'],
    ['default: false is no default', entry('blue@net1', { default: false }), 'creation net1'],
  ])('%s', (_, reported, expected) => {
    expect(describeEach([reported], [], new Set(['kube-system/mon']))).toEqual([expected]);
  });
});

describe('what the ledger tells', () => {
  it.each<[string, AttachmentState, string[]]>([
    ['an interface that was added is ours', 'added', ['hotplug net1']],
    ['one that may be half-added does not count', 'adding', []],
    ['one that may be half-removed does not count', 'removing', []],
    ['one that was removed does not count, although the status still reports it', 'removed', []],
  ])('%s', (_, state, expected) => {
    expect(describeEach([entry('blue@net1')], [record('blue@net1', { state })])).toEqual(expected);
  });

  it('wins where the status says something else of the interface', () => {
    const ours = record('blue@net1', { entries: [entry('blue@net1', { ips: ['10.0.0.5'] })] });
    expect(observeAttachments([entry('red@net1', { ips: ['10.9.9.9'] })], [ours])).toEqual([
      { origin: 'hotplug', interface: 'net1', network: 'shop/blue', entries: ours.entries, record: ours },
    ]);
  });

  it('is heard although the status does not report the interface yet', () => {
    expect(describeEach([defaultEntry], [record('blue@net1')])).toEqual(['foreign eth0', 'hotplug net1']);
  });

  it('owns every interface that its plugin made', () => {
    const ours = record('blue@net1', { entries: [entry('blue@net1'), entry('blue@net1.1')] });
    expect(describeEach([entry('blue@net1'), entry('blue@net1.1')], [ours])).toEqual(['hotplug net1']);
  });

  it('cannot hide the default network', () => {
    expect(describeEach([defaultEntry], [record('blue@eth0', { state: 'removed' })])).toEqual(['foreign eth0']);
  });
});

describe('the order', () => {
  it('is that of the status, whoever speaks, and what it does not report comes last', () => {
    const reported = [entry('red@net2'), defaultEntry, entry('blue@net1')];
    const records = [record('green@data0'), record('blue@net1')];
    expect(describeEach(reported, records)).toEqual(['creation net2', 'foreign eth0', 'hotplug net1', 'hotplug data0']);
  });
});
