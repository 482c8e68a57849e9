// Looks at something that cannot be watched, again and again, until told to stop. One look at a time; the next is due some
// time after the last one ended, and never at the same moment on all nodes. A look that fails is followed by the next.
export interface LookOptions {
  readonly intervalMs: number;
  readonly random: () => number;
  readonly look: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

const JITTER = 0.2;

/** Returns what stops it. */
export const lookRepeatedly = ({ intervalMs, random, look, onError }: LookOptions): (() => void) => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    if (isStopped) return;
    timer = setTimeout(run, intervalMs * (1 - JITTER + 2 * JITTER * random()));
    timer.unref();
  };
  const run = (): void => {
    void look().catch(onError).finally(schedule);
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};
