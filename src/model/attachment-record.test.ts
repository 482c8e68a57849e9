import { describe, expect, it } from 'vitest';
import { type AttachmentRecord, type PodRecord, tellsAllToUndo } from './attachment-record.ts';
import { record } from './test-builders.ts';

const pod = (attachments: readonly AttachmentRecord[], leftovers?: readonly AttachmentRecord[]): PodRecord => ({
  version: 1,
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
  sandboxMark: '10.0.0.1|True|',
  attachments,
  ...(leftovers && { leftovers }),
});
const blue = record('blue@net1');
const red = record('red@net2');

describe('what a node that lost power finds tells all that is to be undone', () => {
  it.each<[string, PodRecord, PodRecord]>([
    ['the outcome of an ADD', pod([{ ...blue, state: 'adding', entries: [] }]), pod([blue])],
    ['the intent to remove', pod([blue]), pod([{ ...blue, state: 'removing' }])],
    ['the outcome of a DEL', pod([{ ...blue, state: 'removing' }]), pod([{ ...blue, state: 'removed' }])],
    ['the removal of one of two', pod([blue, red]), pod([red])],
    ['the end of everything', pod([blue, red]), pod([])],
    ['another sandbox, whose interfaces are still to be released', pod([blue]), pod([], [blue])],
    ['a doubt about an answer', pod([blue]), pod([{ ...blue, unsettledUntilMs: 5 }])],
  ])('when only %s is lost', (_, earlier, later) => {
    expect(tellsAllToUndo(earlier, later)).toBe(true);
  });
});

describe('something would be forgotten', () => {
  it.each<[string, PodRecord, PodRecord]>([
    ['the first interface', pod([]), pod([blue])],
    ['one more interface', pod([blue]), pod([blue, red])],
    ['the same name in another sandbox', pod([blue]), pod([{ ...blue, containerId: 'sandbox-9' }])],
    [
      'the same interface, with the configuration that the network has now',
      pod([blue]),
      pod([{ ...blue, config: '{}' }]),
    ],
    ['the same interface, with another address', pod([blue]), pod([{ ...blue, attributes: { ips: ['10.0.0.9/24'] } }])],
    ['an interface that is plugged again after it was removed', pod([{ ...blue, state: 'removed' }]), pod([blue])],
    ['a name that moved to another network', pod([blue]), pod([{ ...red, interface: 'net1' }])],
    ['what a replaced sandbox still holds', pod([red]), pod([red], [blue])],
  ])('with %s', (_, earlier, later) => {
    expect(tellsAllToUndo(earlier, later)).toBe(false);
  });
});
