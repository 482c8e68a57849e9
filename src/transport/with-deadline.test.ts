import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDeadline } from './with-deadline.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

it('gives the result of work that ends in time, and leaves neither timer nor listener', async () => {
  const outer = new AbortController();
  await expect(withDeadline({ deadlineMs: 100, signal: outer.signal }, async () => 'done')).resolves.toBe('done');
  expect([vi.getTimerCount(), getEventListeners(outer.signal, 'abort')]).toEqual([0, []]);
});

it('gives the error of work that fails, and leaves neither timer nor listener', async () => {
  const outer = new AbortController();
  const failing = withDeadline({ deadlineMs: 100, signal: outer.signal }, () => Promise.reject(new Error('refused')));
  await expect(failing).rejects.toThrow('refused');
  expect([vi.getTimerCount(), getEventListeners(outer.signal, 'abort')]).toEqual([0, []]);
});

it('aborts with a TimeoutError when the time is up, not before', async () => {
  const work = withDeadline({ deadlineMs: 100 }, aborted).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(99);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await work).toMatchObject({ name: 'TimeoutError', message: 'timeout: no answer within 100 ms' });
});

it('aborts with the reason of the outer signal', async () => {
  const outer = new AbortController();
  const work = withDeadline({ deadlineMs: 100, signal: outer.signal }, aborted);
  outer.abort(new Error('shutting down'));
  await expect(work).rejects.toThrow('shutting down');
  expect(vi.getTimerCount()).toBe(0);
});

it('hands an aborted signal to the work when the outer one is aborted already', async () => {
  const work = withDeadline({ deadlineMs: 100, signal: AbortSignal.abort(new Error('too late')) }, aborted);
  await expect(work).rejects.toThrow('too late');
});
