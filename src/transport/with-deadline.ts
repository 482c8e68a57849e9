// A deadline for one call. Its promises: the signal that the work gets aborts with the outer one, or with a TimeoutError when
// the time is up; once the work has ended, in whatever way, no timer and no listener of it is left.
// Not AbortSignal.any with AbortSignal.timeout: that timer and all that hangs on it stay until the time is up, a minute for
// calls of milliseconds, and a burst leaves thousands of them.

export const withDeadline = async <T>(
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`timeout: no answer within ${deadlineMs} ms`, 'TimeoutError'));
  }, deadlineMs);
  signal?.addEventListener('abort', follow, { once: true });
  if (signal?.aborted) follow();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
};
