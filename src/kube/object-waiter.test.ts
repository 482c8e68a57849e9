import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ObjectWaiter } from './object-waiter.ts';

interface Thing {
  readonly key: string;
  readonly resourceVersion: string;
  readonly isReady: boolean;
}
const thing = (isReady: boolean): Thing => ({ key: 'a/b', resourceVersion: '1', isReady });
const isReady = (one: Thing) => one.isReady;

let known: Thing | undefined;
let current: Thing | undefined;
let tell: (key: string, after: Thing | undefined) => void;
let waiter: ObjectWaiter<Thing>;
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
  known = undefined;
  current = undefined;
  waiter = new ObjectWaiter<Thing>({
    find: () => known,
    refresh: async () => current,
    subscribe: (listener) => {
      tell = listener;
    },
  });
});
afterEach(() => vi.useRealTimers());

it('gives what is enough already, at once', async () => {
  known = thing(true);
  expect(await waiter.waitFor('a/b', isReady, 1000, never)).toEqual(thing(true));
});

it('gives it with the event that makes it enough, and leaves nothing behind', async () => {
  known = thing(false);
  const waiting = waiter.waitFor('a/b', isReady, 1000, never);
  tell('a/b', thing(false));
  tell('a/other', thing(true));
  tell('a/b', undefined);
  expect(waiter.size).toBe(1);
  tell('a/b', thing(true));
  expect(await waiting).toEqual(thing(true));
  expect([waiter.size, vi.getTimerCount()]).toEqual([0, 0]);
});

it('asks the server when the time is up: the watch may be behind', async () => {
  current = thing(true);
  const waiting = waiter.waitFor('a/b', isReady, 1000, never);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await waiting).toEqual(thing(true));
  expect(waiter.size).toBe(0);
});

it('does not wait when told so', async () => {
  expect(await waiter.waitFor('a/b', isReady, 0, never)).toBeUndefined();
});

it('ends with whoever waited', async () => {
  const gone = new AbortController();
  const waiting = waiter.waitFor('a/b', isReady, 1000, gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect([waiter.size, vi.getTimerCount()]).toEqual([0, 0]);
});
