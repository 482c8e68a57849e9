import { describe, expect, it } from 'vitest';
import { composeReports, conditionOf, type InterfaceReport, parseReports, stateOf } from './interface-report.ts';
import type { Reason } from './reasons.ts';

const target = { interface: 'net1', network: 'shop/blue' };
const failed = { reason: 'FailedAddingInterface', message: 'no' } as const;

describe('stateOf', () => {
  it('an interface without a problem is ready, and says no more', () => {
    expect(stateOf(target)).toEqual({ ...target, ready: true });
  });

  it('an interface without a name yet is reported with an empty one', () => {
    expect(stateOf({ interface: undefined, network: 'shop/blue' }, failed).interface).toBe('');
  });

  it.each<[Reason, boolean]>([
    ['FailedAddingInterface', false],
    ['FailedRemovingInterface', false],
    ['InvalidNetworks', false],
    ['NetworkNotFound', false],
    ['NetworkForbidden', false],
    ['InvalidNetworkConfig', false],
    ['InterfaceNameTaken', false],
    ['InterfaceNameRequired', false],
    ['NotHotPluggable', false],
    ['HostNetworkPod', false],
    ['StatusUnreadable', false],
    ['AttributesChanged', true],
    ['DeviceAttachmentKept', true],
  ])('with %s it is ready: %s', (reason, ready) => {
    expect(stateOf(target, { reason, message: 'why' })).toEqual({ ...target, ready, reason, message: 'why' });
  });

  it('a long complaint is cut at 512 characters, never inside one', () => {
    const { message = '' } = stateOf(target, { ...failed, message: `x${'💥'.repeat(600)}` });
    expect([message.length, message.isWellFormed()]).toEqual([512, true]);
  });
});

describe('parseReports', () => {
  const report: InterfaceReport = { ...target, ready: true, since: '2024-01-01T00:00:00Z' };

  it.each([
    ['no annotation', undefined, []],
    ['text that is no JSON', '[{', []],
    ['an object', '{}', []],
    ['what it wrote itself', JSON.stringify([report]), [report]],
    ['only the reports among other things', JSON.stringify([null, 5, { interface: 'a' }, report]), [report]],
    [
      'nothing when one of them is absurdly deep',
      `[${JSON.stringify({ ...report, x: 0 }).replace('0}', `${'['.repeat(99)}${']'.repeat(99)}}`)}]`,
      [],
    ],
  ])('reads %s', (_, text, expected) => {
    expect(parseReports(text)).toEqual(expected);
  });

  it.each(['interface', 'network', 'ready', 'since'])('ignores a report whose %s has another type', (field) => {
    expect(parseReports(JSON.stringify([{ ...report, [field]: 5 }]))).toEqual([]);
  });
});

describe('composeReports', () => {
  const now = '2024-01-01T00:01:00Z';
  const since = '2024-01-01T00:00:00Z';
  const state = stateOf(target, failed);

  it.each<[string, readonly InterfaceReport[], string]>([
    ['a new one begins now', [], now],
    ['one that stays as it is keeps its time', [{ ...state, since }], since],
    ['another message is no other state', [{ ...state, message: 'other', since }], since],
    ['another reason is another state', [{ ...state, reason: 'NetworkNotFound', since }], now],
    ['becoming not ready is another state', [{ ...target, ready: true, since }], now],
    ['the same name on another network is another interface', [{ ...state, network: 'shop/red', since }], now],
    ['the same network under another name is another interface', [{ ...state, interface: 'net2', since }], now],
  ])('%s', (_, previous, expected) => {
    expect(composeReports([state], previous, now)).toEqual([{ ...state, since: expected }]);
  });
});

describe('conditionOf', () => {
  const ready = stateOf(target);
  const waiting = stateOf({ ...target, interface: 'net2' }, failed);

  it.each([
    ['nothing asked for is ready', [], { status: 'True', reason: 'AllReady', message: '' }],
    ['all ready is ready', [ready, ready], { status: 'True', reason: 'AllReady', message: '' }],
    [
      'a notice about a working interface is no reason to wait',
      [stateOf(target, { reason: 'AttributesChanged', message: 'm' })],
      { status: 'True', reason: 'AllReady', message: '' },
    ],
    [
      'one that is not ready is named with its reason',
      [ready, waiting],
      { status: 'False', reason: 'FailedAddingInterface', message: 'net2: no' },
    ],
    [
      'of several the first is named and the others counted',
      [waiting, ready, waiting, waiting],
      { status: 'False', reason: 'FailedAddingInterface', message: 'net2: no (and 2 more)' },
    ],
    [
      'one without a name is told of without one',
      [stateOf({ ...target, interface: undefined }, failed)],
      { status: 'False', reason: 'FailedAddingInterface', message: 'no' },
    ],
  ])('%s', (_, states, expected) => {
    expect(conditionOf(states)).toEqual(expected);
  });
});
