import { expect, it } from 'vitest';
import { noPod, sampleRow, sampleSnapshot } from './sample-snapshot.ts';
import { settlementOf } from './settled.ts';
import type { InterfaceRow, Snapshot } from './snapshot.ts';

const net1 = sampleRow('net1', 'default/blue', '10.10.1.2');
const asks = (networks: string, rows: readonly InterfaceRow[], changes: Partial<Snapshot> = {}): Snapshot =>
  sampleSnapshot(rows, { pod: { uid: 'u1', phase: 'Running', networks }, ...changes });
const says = (reason: string, message: string) => ({ condition: { status: 'False', reason, message } });
const failing = (
  name: string,
  network: string,
  reason: 'NetworkNotFound' | 'FailedRemovingInterface',
): InterfaceRow => ({
  name,
  leased: [],
  report: { network, ready: false, reason, message: 'why' },
});
const kindOf = (snapshot: Snapshot): string => settlementOf(snapshot, 'default').kind;

it.each<[string, Snapshot, string]>([
  ['all as asked', asks('blue@net1', [net1]), 'done'],
  ['unnamed, all as asked', asks('blue', [net1]), 'done'],
  ['nothing asked, nothing there', asks('', []), 'done'],
  ['no pod, no address', noPod, 'done'],
  ['no pod, an address still held', { ...noPod, leases: sampleSnapshot([]).leases }, 'open'],
  ['not plugged yet', asks('blue, red', [net1]), 'open'],
  ['not unplugged yet', asks('', [net1]), 'open'],
  [
    'a network is missing and the agent says so',
    asks('blue@net1, x@n', [net1, failing('n', 'default/x', 'NetworkNotFound')], says('NetworkNotFound', 'why')),
    'complaint',
  ],
  [
    'an old complaint about something else',
    asks('red@r0', [failing('n', 'default/x', 'NetworkNotFound')], says('NetworkNotFound', 'why')),
    'open',
  ],
  [
    'an interface is stuck',
    asks('', [failing('n', 'default/x', 'FailedRemovingInterface')], says('FailedRemovingInterface', 'why')),
    'complaint',
  ],
  ['a bad edit, not seen by the agent yet', asks('Blue', [net1]), 'open'],
  [
    'a bad edit, seen',
    asks(
      'Blue',
      [net1],
      says(
        'InvalidNetworks',
        'element 1: name "Blue" is not a NetworkAttachmentDefinition name (lower-case letters, digits, "-" and "."); nothing was changed',
      ),
    ),
    'complaint',
  ],
  ['a bad edit after another one', asks('Blue', [net1], says('InvalidNetworks', 'element 1: something else')), 'open'],
  [
    'a good edit, still judged by the bad one',
    asks('blue', [net1], says('InvalidNetworks', 'element 1: something else')),
    'open',
  ],
])('%s', (_, snapshot, kind) => {
  expect(kindOf(snapshot)).toBe(kind);
});
