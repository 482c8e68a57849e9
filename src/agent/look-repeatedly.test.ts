import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lookRepeatedly } from './look-repeatedly.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const start = (look: () => Promise<unknown>, random = () => 0.5) => {
  const errors: unknown[] = [];
  const stop = lookRepeatedly({ intervalMs: 1000, random, look, onError: (error) => errors.push(error) });
  return { stop, errors };
};

it('looks once per interval, not before', async () => {
  const look = vi.fn(async () => undefined);
  const { stop } = start(look);
  await vi.advanceTimersByTimeAsync(999);
  expect(look).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2001);
  expect(look).toHaveBeenCalledTimes(3);
  stop();
});

it.each([
  ['at the earliest', 0, 800],
  ['at the latest', 1, 1200],
])('varies the moment: %s', async (_, chance, dueMs) => {
  const look = vi.fn(async () => undefined);
  const { stop } = start(look, () => chance);
  await vi.advanceTimersByTimeAsync(dueMs - 1);
  expect(look).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(look).toHaveBeenCalledTimes(1);
  stop();
});

it('waits for a slow look before the next one is due', async () => {
  let finish = () => {};
  const look = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  const { stop } = start(look);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(look).toHaveBeenCalledTimes(1);
  finish();
  await vi.advanceTimersByTimeAsync(1000);
  expect(look).toHaveBeenCalledTimes(2);
  stop();
});

it('goes on after a look that failed, and tells of it', async () => {
  const look = vi.fn(() => Promise.reject(new Error('no disk')));
  const { stop, errors } = start(look);
  await vi.advanceTimersByTimeAsync(2000);
  expect(errors).toEqual([new Error('no disk'), new Error('no disk')]);
  stop();
});

it('looks no more once it was stopped, also when a look was under way', async () => {
  let finish = () => {};
  const look = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  const { stop } = start(look);
  await vi.advanceTimersByTimeAsync(1000);
  stop();
  finish();
  await vi.advanceTimersByTimeAsync(5000);
  expect(look).toHaveBeenCalledTimes(1);
});
