import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { shareRuns } from './share-runs.ts';

/** Runs that end when the test says so. */
const makeRuns = () => {
  const runs: { readonly key: string; readonly end: PromiseWithResolvers<void> }[] = [];
  const share = shareRuns((key) => {
    const end = Promise.withResolvers<void>();
    runs.push({ key, end });
    return end.promise;
  });
  return { runs, share };
};

/** Whether each is done by now. */
const follow = (asked: readonly Promise<void>[]) => {
  const states = asked.map(() => 'waits');
  asked.forEach((promise, index) => {
    promise.then(
      () => (states[index] = 'done'),
      () => (states[index] = 'failed'),
    );
  });
  return states;
};

describe('runs that are shared', () => {
  it('are one for all that ask at the same time', async () => {
    const { runs, share } = makeRuns();
    const states = follow([share('a'), share('a'), share('a')]);
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]?.end.resolve();
    await turn();
    expect(states).toEqual(['done', 'done', 'done']);
  });

  it('serve nobody who asks after they began, but the next one does', async () => {
    const { runs, share } = makeRuns();
    const states = follow([share('a')]);
    await turn();
    const later = follow([share('a'), share('a')]);
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]?.end.resolve();
    await turn();
    expect([states, later, runs.length]).toEqual([['done'], ['waits', 'waits'], 2]);
    runs[1]?.end.resolve();
    await turn();
    expect([later, runs.length]).toEqual([['done', 'done'], 2]);
  });

  it('fail for those that they were for, and for nobody after them', async () => {
    const { runs, share } = makeRuns();
    const states = follow([share('a')]);
    await turn();
    const later = follow([share('a')]);
    runs[0]?.end.reject(new Error('disk'));
    await turn();
    runs[1]?.end.resolve();
    await turn();
    expect([states, later]).toEqual([['failed'], ['done']]);
  });

  it('of one key do not wait for those of another', async () => {
    const { runs, share } = makeRuns();
    follow([share('a'), share('b')]);
    await turn();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
