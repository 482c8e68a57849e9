import { describe, expect, it } from 'vitest';
import { findDifferences, findLeftovers } from './judge.ts';
import { noPod, sampleRow, sampleSnapshot } from './sample-snapshot.ts';
import type { InterfaceRow } from './snapshot.ts';

const net1 = sampleRow('net1', 'default/blue', '10.10.1.2');
const wanted = { attachments: [{ interface: 'net1', network: 'default/blue' }], ready: 'True' } as const;

const without = (row: InterfaceRow, witness: 'kernel' | 'status' | 'report'): InterfaceRow => {
  const { [witness]: _, ...rest } = row;
  return rest;
};

describe('findDifferences', () => {
  it('finds none when every witness agrees', () => {
    expect(findDifferences(sampleSnapshot([net1]), wanted)).toEqual([]);
  });

  it.each<[string, InterfaceRow[], string, string]>([
    ['nothing there', [], 'network-status: net1 on default/blue', 'no entry for net1'],
    ['only the kernel lacks it', [without(net1, 'kernel')], 'kernel: net1 on default/blue', 'no link net1'],
    [
      'only the status lacks it',
      [without(net1, 'status')],
      'network-status: net1 on default/blue',
      'no entry for net1',
    ],
    [
      'only the report lacks it',
      [without(net1, 'report')],
      'Ready report: net1 ready on default/blue',
      'no report for net1',
    ],
    ['the address is not held', [{ ...net1, leased: [] }], 'IPAM: 10.10.1.2 held for net1', 'no address'],
    [
      'another address in the kernel',
      [{ ...net1, kernel: { network: 'default/blue', mac: 'x', addresses: ['10.10.1.9'] } }],
      'kernel: net1 has 10.10.1.2',
      '10.10.1.9',
    ],
    [
      'another network in the kernel',
      [{ ...net1, kernel: { network: 'default/red', mac: 'x', addresses: ['10.10.1.2'] } }],
      'kernel: net1 on default/blue',
      'default/red',
    ],
    [
      'not ready',
      [{ ...net1, report: { network: 'default/blue', ready: false, reason: 'FailedAddingInterface', message: 'why' } }],
      'Ready report: net1 ready on default/blue',
      'FailedAddingInterface: why',
    ],
    [
      'one too many',
      [net1, sampleRow('net2', 'default/red', '10.10.3.2')],
      'no interface net2',
      'net2 is in the kernel and network-status and the Ready report',
    ],
  ])('%s', (_, rows, expected, seen) => {
    expect(findDifferences(sampleSnapshot(rows), wanted)).toContainEqual({ expected, seen });
  });

  it('wants the condition, too, unless there is nothing to be ready', () => {
    const { condition: _, ...bare } = sampleSnapshot([]);
    expect(findDifferences(bare, { attachments: [], ready: 'True' })).toEqual([]);
    const { condition: __, ...mute } = sampleSnapshot([net1]);
    expect(findDifferences(mute, wanted)).toEqual([
      { expected: 'condition NetworksReady=True', seen: 'no such condition' },
    ]);
    expect(findDifferences(sampleSnapshot([net1]), { ...wanted, ready: 'False' })).toHaveLength(1);
  });

  it('finds out that an interface was taken away and put back', () => {
    const since = sampleSnapshot([
      { ...net1, kernel: { network: 'default/blue', mac: '0a:99', addresses: ['10.10.1.2'] } },
    ]);
    const kept = { names: ['eth0', 'net1'], since };
    expect(findDifferences(sampleSnapshot([net1]), { ...wanted, kept })).toEqual([
      {
        expected: 'net1 untouched (0a:99 10.10.1.2 on default/blue)',
        seen: '0a:00:00:00:00:04 10.10.1.2 on default/blue',
      },
    ]);
  });

  it('an unnamed wish takes what no named one claims', () => {
    const rows = [net1, sampleRow('net2', 'default/blue', '10.10.1.3')];
    const attachments = [{ network: 'default/blue' }, { network: 'default/blue', interface: 'net1' }];
    expect(findDifferences(sampleSnapshot(rows), { attachments, ready: 'True' })).toEqual([]);
  });

  it('is not content while the cluster contradicts itself elsewhere', () => {
    expect(findDifferences(sampleSnapshot([net1], { leaks: ['leak'] }), wanted)).toHaveLength(1);
  });

  it('wants a running pod first', () => {
    expect(findDifferences(noPod, wanted)).toEqual([{ expected: 'a running pod', seen: 'no such pod' }]);
  });
});

describe('findLeftovers', () => {
  it('finds the pod and every address', () => {
    expect(findLeftovers(noPod)).toEqual([]);
    expect(findLeftovers(sampleSnapshot([net1])).map(({ seen }) => seen)).toEqual([
      'the pod is still there (Running)',
      '10.244.0.3 on podnet is still held by interface eth0',
      '10.10.1.2 on default/blue is still held by interface net1',
    ]);
  });
});
