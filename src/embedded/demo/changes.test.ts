import { describe, expect, it } from 'vitest';
import { describeChanges } from './changes.ts';
import { noPod, sampleRow, sampleSnapshot } from './sample-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

const net1 = sampleRow('net1', 'default/blue', '10.10.1.2');
const moved = {
  ...sampleRow('net1', 'default/red', '10.10.3.2'),
  kernel: { network: 'default/red', mac: 'other', addresses: ['10.10.3.2'] },
};
const told = (before: Snapshot, after: Snapshot): string[] =>
  describeChanges(before, after).map(({ witness, text }) => `${witness}: ${text}`);

describe('describeChanges', () => {
  it('says nothing when nothing changed', () => {
    expect(told(sampleSnapshot([net1]), sampleSnapshot([net1]))).toEqual([]);
  });

  it('tells of a plug, witness by witness', () => {
    expect(told(sampleSnapshot([]), sampleSnapshot([net1]))).toEqual([
      'IPAM: 10.10.1.2 taken from default/blue (net1)',
      'kernel: net1 created on default/blue',
      'network-status: net1 reported on default/blue, 10.10.1.2',
      'Ready: net1: yes',
    ]);
  });

  it('tells of an unplug', () => {
    expect(told(sampleSnapshot([net1]), sampleSnapshot([]))).toEqual([
      'IPAM: 10.10.1.2 returned to default/blue (net1)',
      'kernel: net1 removed',
      'network-status: net1 no longer reported',
    ]);
  });

  it('tells of a name that moved to another network, address back first', () => {
    expect(told(sampleSnapshot([net1]), sampleSnapshot([moved]))).toEqual([
      'IPAM: 10.10.1.2 returned to default/blue (net1)',
      'IPAM: 10.10.3.2 taken from default/red (net1)',
      'kernel: net1 replaced, now on default/red',
      'network-status: net1 now on default/red, 10.10.3.2',
      'Ready: net1: yes',
    ]);
  });

  it('tells of a complaint and of the condition, in the tone of bad news', () => {
    const failing = {
      name: 'net2',
      leased: [],
      report: { network: 'default/x', ready: false, reason: 'NetworkNotFound' },
    } as const;
    const condition = { status: 'False', reason: 'NetworkNotFound', message: 'no' };
    const changes = describeChanges(sampleSnapshot([]), sampleSnapshot([failing], { condition }));
    expect(changes).toEqual([
      { witness: 'Ready', tone: 'bad', text: 'net2: no, NetworkNotFound' },
      { witness: 'condition', tone: 'bad', text: 'NetworksReady=False (NetworkNotFound)' },
    ]);
  });

  it('tells in one line that a pod took its links with it', () => {
    const { leases } = sampleSnapshot([net1]);
    expect(told(sampleSnapshot([net1]), { ...noPod, leases })).toEqual([
      'pod: gone',
      'kernel: network namespace removed, with eth0, net1',
    ]);
  });

  it('tells of the pod itself', () => {
    const terminating = { pod: { uid: 'u1', phase: 'Terminating', networks: undefined } };
    expect(told(sampleSnapshot([]), sampleSnapshot([], terminating))).toEqual(['pod: Terminating']);
  });
});
