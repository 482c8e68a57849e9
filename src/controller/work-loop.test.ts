import { afterEach, expect, it, vi } from 'vitest';
import { KnownError } from '../model/errors.ts';
import { done, type Outcome } from '../model/outcome.ts';
import type { Reconcile } from './ports.ts';
import { WorkLoop } from './work-loop.ts';

const loops: WorkLoop[] = [];
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.stop(0)));
});

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined };

const makeLoop = (reconcile: Reconcile, keys: readonly string[] = []) => {
  const outcomes: string[] = [];
  const bugs: unknown[] = [];
  const loop = new WorkLoop({
    name: 'test',
    reconcile,
    keys: () => keys,
    concurrency: 2,
    backoff: { minMs: 1, maxMs: 5, random: Math.random },
    log: { ...silent, child: () => silent, error: (fields) => bugs.push(fields) },
    onOutcome: (_name, outcome) => outcomes.push(outcome),
  });
  loops.push(loop);
  return { loop, outcomes, bugs };
};

it('nothing runs before the start, which works on every key that there is', async () => {
  const seen: string[] = [];
  const { loop } = makeLoop(
    async (key) => {
      seen.push(key);
      return done;
    },
    ['a', 'b'],
  );
  loop.add('a');
  loop.add('c');
  await Promise.resolve();
  expect([seen, loop.queue.depth]).toEqual([[], 0]);
  loop.start();
  await vi.waitFor(() => expect(seen.toSorted()).toEqual(['a', 'b']));
  loop.add('c');
  await vi.waitFor(() => expect(seen).toContain('c'));
});

it.each([
  ['a known error is retried without alarm', new KnownError('stateChanged', 'changed'), ['retry', 'done'], 0],
  ['anything else is a bug: told, and retried', new TypeError('oops'), ['bug', 'retry', 'done'], 1],
])('%s', async (_name, error, expected, bugCount) => {
  let tries = 0;
  const { loop, outcomes, bugs } = makeLoop(async (): Promise<Outcome> => {
    tries += 1;
    if (tries === 1) throw error;
    return done;
  }, ['a']);
  loop.start();
  await vi.waitFor(() => expect(outcomes).toEqual(expected));
  expect(bugs).toHaveLength(bugCount);
});

it('after the stop nothing is taken in', async () => {
  let runs = 0;
  const { loop } = makeLoop(async () => {
    runs += 1;
    return done;
  });
  loop.start();
  await loop.stop(10);
  loop.add('a');
  await Promise.resolve();
  expect([runs, loop.queue.depth]).toEqual([0, 0]);
});
