import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { done, type Outcome, retry, waitForChange } from '../model/outcome.ts';
import { KeyedQueue, type KeyedQueueOptions } from './keyed-queue.ts';

const backoff = { minMs: 200, maxMs: 60_000, random: () => 0 };

/** A worker whose runs the test ends one by one. */
const gatedWorker = () => {
  const started: string[] = [];
  const gates = new Map<string, (outcome: Outcome) => void>();
  const work = (key: string): Promise<Outcome> => {
    started.push(key);
    return new Promise((resolve) => gates.set(key, resolve));
  };
  const finish = async (key: string, outcome: Outcome = done) => {
    gates.get(key)?.(outcome);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { started, work, finish };
};

const queueOf = (options: Partial<KeyedQueueOptions<string>> & Pick<KeyedQueueOptions<string>, 'work'>) =>
  new KeyedQueue<string>({ concurrency: 2, backoff, ...options });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('KeyedQueue', () => {
  it('works once on a key that was added three times before a worker was free', async () => {
    const { started, work, finish } = gatedWorker();
    const queue = queueOf({ work, concurrency: 1 });
    queue.add('blocker');
    for (let i = 0; i < 3; i += 1) queue.add('a');
    await settle();
    await finish('blocker');
    await finish('a');
    expect(started).toEqual(['blocker', 'a']);
  });

  it('brings a key back, once, that changed while it was worked on, and never runs it twice at a time', async () => {
    const { started, work, finish } = gatedWorker();
    const queue = queueOf({ work });
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    expect(started).toEqual(['a']);
    await finish('a');
    expect(started).toEqual(['a', 'a']);
    await finish('a');
    expect(started).toEqual(['a', 'a']);
    expect(queue.depth + queue.processing + queue.delayed).toBe(0);
  });

  it('runs different keys in parallel up to its concurrency, oldest first', async () => {
    const { started, work, finish } = gatedWorker();
    const queue = queueOf({ work });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    expect(started).toEqual(['a', 'b']);
    expect(queue.depth).toBe(2);
    await finish('b');
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('backs off per key, doubling up to the maximum, without ever giving up', async () => {
    const runs: number[] = [];
    const queue = queueOf({
      work: async () => {
        runs.push(Date.now());
        return retry('broken');
      },
    });
    queue.add('a');
    await vi.advanceTimersByTimeAsync(600_000);
    const gaps = runs.slice(1).map((at, index) => at - (runs[index] ?? 0));
    expect(gaps.slice(0, 5)).toEqual([100, 200, 400, 800, 1600]);
    expect(Math.max(...gaps)).toBe(30_000);
    expect(runs.length).toBeGreaterThan(20);
    await queue.close(0);
  });

  it('lets a new event overtake a back-off', async () => {
    const outcomes: Outcome[] = [retry('broken'), done];
    const work = vi.fn(async () => outcomes.shift() ?? done);
    const queue = queueOf({ work });
    queue.add('a');
    await settle();
    queue.add('a');
    await settle();
    expect(work).toHaveBeenCalledTimes(2);
    expect(queue.delayed).toBe(0);
  });

  it('starts the back-off anew after a success', async () => {
    const outcomes: Outcome[] = [retry('1'), retry('2'), done, retry('3')];
    const attempts: number[] = [];
    const queue = queueOf({
      work: async () => outcomes.shift() ?? done,
      onOutcome: (_key, _outcome, attempt) => attempts.push(attempt),
    });
    queue.add('a');
    await vi.advanceTimersByTimeAsync(1000);
    queue.add('a');
    await vi.advanceTimersByTimeAsync(1000);
    expect(attempts).toEqual([1, 2, 0, 1, 0]);
  });

  it('does not bring back a key that waits for a change', async () => {
    const work = vi.fn(async () => waitForChange('no status yet'));
    const queue = queueOf({ work });
    queue.add('a');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('keeps the earlier of two delays', async () => {
    const work = vi.fn(async () => done);
    const queue = queueOf({ work });
    queue.addAfter('a', 1000);
    queue.addAfter('a', 100);
    queue.addAfter('a', 5000);
    await vi.advanceTimersByTimeAsync(100);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('retries after a bug in the worker, and says so', async () => {
    const bugs: unknown[] = [];
    let calls = 0;
    const queue = queueOf({
      work: async () => {
        calls += 1;
        if (calls === 1) throw new Error('bug');
        return done;
      },
      onBug: (_key, error) => bugs.push(error),
    });
    queue.add('a');
    await vi.advanceTimersByTimeAsync(1000);
    expect(calls).toBe(2);
    expect(bugs).toHaveLength(1);
  });

  it('is quiet only when nothing ran for as long as was asked for', async () => {
    const { work, finish } = gatedWorker();
    const queue = queueOf({ work });
    const quiet = vi.fn();
    queue.add('a');
    void queue.onQuiet(100).then(quiet);
    await settle();
    await finish('a');
    await vi.advanceTimersByTimeAsync(90);
    queue.add('b');
    await vi.advanceTimersByTimeAsync(500);
    expect(quiet).not.toHaveBeenCalled();
    await finish('b');
    await vi.advanceTimersByTimeAsync(99);
    expect(quiet).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(quiet).toHaveBeenCalled();
  });

  it('drains on close: what runs finishes, what waits is dropped, nothing starts again', async () => {
    const { started, work, finish } = gatedWorker();
    const queue = queueOf({ work, concurrency: 1 });
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await settle();
    const closed = vi.fn();
    void queue.close(30_000).then(closed);
    await settle();
    queue.add('d');
    expect(closed).not.toHaveBeenCalled();
    await finish('a', retry('would come back'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed).toHaveBeenCalledOnce();
    expect(started).toEqual(['a']);
  });

  it('aborts what still runs when the deadline of a close has passed', async () => {
    let aborted = false;
    const queue = queueOf({
      work: (_key, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(done);
          });
        }),
    });
    queue.add('a');
    await settle();
    const closing = queue.close(5000);
    await vi.advanceTimersByTimeAsync(4999);
    expect(aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(aborted).toBe(true);
  });

  it('refuses a concurrency that is no positive whole number, naming it', () => {
    expect(() => queueOf({ work: async () => done, concurrency: 0 })).toThrow(/concurrency .* got 0/);
  });
});
