import { beforeEach, describe, expect, it } from 'vitest';
import { podKey } from '../model/keys.ts';
import { network } from '../model/test-builders.ts';
import { type Attempt, RetrySchedule } from './retry-schedule.ts';

let now: number;
let retries: RetrySchedule;
beforeEach(() => {
  now = 1000;
  retries = new RetrySchedule({ minMs: 100, maxMs: 1000, random: () => 1 }, () => now);
});

const attempt = (overrides: Partial<Attempt> = {}): Attempt => ({
  key: podKey('shop', 'web'),
  uid: 'uid-1',
  verb: 'attach',
  interface: 'net1',
  network: network('blue'),
  signature: 'first',
  ...overrides,
});
const complaint = { kind: 'delegateFailed', message: 'no' } as const;

describe('a failed attempt', () => {
  it('waits, says why meanwhile, and may be tried again when it is due', () => {
    expect(retries.failed(attempt(), complaint)).toBe(1);
    now += 99;
    expect(retries.findWaiting(attempt())).toEqual(complaint);
    now += 1;
    expect(retries.findWaiting(attempt())).toBeUndefined();
  });

  it('waits longer after every failure in a row, up to the maximum, for ever', () => {
    const waits = Array.from({ length: 6 }, () => {
      retries.failed(attempt(), complaint);
      return retries.nextDueMs('uid-1');
    });
    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('can be given a lower maximum, but never a higher one', () => {
    for (let i = 0; i < 8; i += 1) retries.failed(attempt(), complaint, 300);
    expect(retries.nextDueMs('uid-1')).toBe(300);
    retries.failed(attempt(), complaint, 99_999);
    expect(retries.nextDueMs('uid-1')).toBe(1000);
  });

  it('starts anew after a success', () => {
    retries.failed(attempt(), complaint);
    retries.succeeded(attempt());
    expect([retries.size, retries.findWaiting(attempt())]).toEqual([0, undefined]);
    expect(retries.failed(attempt(), complaint)).toBe(1);
  });

  it.each<[string, Partial<Attempt>]>([
    ['another request for the interface', { signature: 'second' }],
    ['another interface', { interface: 'net2' }],
    ['another verb', { verb: 'detach' }],
    ['another pod', { uid: 'uid-2' }],
  ])('does not hold back %s', (_, other) => {
    retries.failed(attempt(), complaint);
    expect(retries.findWaiting(attempt(other))).toBeUndefined();
    expect(retries.failed(attempt(other), complaint)).toBe(1);
  });

  it('keeps only what the complaint says, not the error with its stack', () => {
    retries.failed(attempt(), Object.assign(new Error('no'), { kind: 'delegateFailed' as const }));
    expect(Object.keys(retries.findWaiting(attempt()) ?? {})).toEqual(['kind', 'message']);
  });
});

describe('postpone', () => {
  it('waits until then without counting as a failure', () => {
    retries.failed(attempt(), complaint);
    retries.postpone(attempt(), 5000, complaint);
    expect(retries.nextDueMs('uid-1')).toBe(5000);
    expect(retries.failed(attempt(), complaint)).toBe(2);
  });
});

describe('nextDueMs', () => {
  it('is the soonest of the pod, never negative, and undefined when nothing waits', () => {
    expect(retries.nextDueMs('uid-1')).toBeUndefined();
    retries.postpone(attempt(), 500, complaint);
    retries.postpone(attempt({ interface: 'net2' }), 300, complaint);
    retries.postpone(attempt({ uid: 'uid-2' }), 1, complaint);
    expect(retries.nextDueMs('uid-1')).toBe(300);
    now += 1000;
    expect(retries.nextDueMs('uid-1')).toBe(0);
  });
});

describe('what is no longer attempted', () => {
  it('is forgotten, and what is still attempted is not', () => {
    retries.failed(attempt(), complaint);
    retries.failed(attempt({ interface: 'net2' }), complaint);
    retries.failed(attempt({ uid: 'uid-2' }), complaint);
    retries.retain('uid-1', [attempt({ interface: 'net2' })]);
    expect(retries.size).toBe(2);
    expect(retries.findWaiting(attempt())).toBeUndefined();
    expect(retries.findWaiting(attempt({ interface: 'net2' }))).toEqual(complaint);
  });

  it('does not concern releases, which no plan knows of, and which are told apart by their sandbox', () => {
    const release = (signature: string) => attempt({ verb: 'release', signature });
    retries.failed(release('sandbox-1'), complaint);
    retries.failed(release('sandbox-2'), complaint);
    retries.retain('uid-1', []);
    expect([retries.size, retries.findWaiting(release('sandbox-1'))]).toEqual([2, complaint]);
    retries.succeeded(release('sandbox-1'));
    expect([retries.size, retries.findWaiting(release('sandbox-2'))]).toEqual([1, complaint]);
  });

  it('goes with its pod', () => {
    retries.failed(attempt(), complaint);
    retries.forgetPod('uid-1');
    expect([retries.size, retries.nextDueMs('uid-1')]).toEqual([0, undefined]);
  });
});

describe('wakeNetwork', () => {
  it('lets every attach that waits on the network be tried at once, and names the pods, each once', () => {
    const other = podKey('shop', 'db');
    retries.failed(attempt(), complaint);
    retries.failed(attempt({ interface: 'net2' }), complaint);
    retries.failed(attempt({ uid: 'uid-2', key: other }), complaint);
    retries.failed(attempt({ uid: 'uid-3', network: network('red') }), complaint);
    retries.failed(attempt({ uid: 'uid-4', verb: 'detach' }), complaint);
    expect(retries.wakeNetwork(network('blue'))).toEqual(['shop/web', 'shop/db']);
    expect(retries.findWaiting(attempt())).toBeUndefined();
    expect(retries.findWaiting(attempt({ uid: 'uid-4', verb: 'detach' }))).toEqual(complaint);
  });

  it('does not reset how often it failed', () => {
    retries.failed(attempt(), complaint);
    retries.wakeNetwork(network('blue'));
    expect(retries.failed(attempt(), complaint)).toBe(2);
  });
});
