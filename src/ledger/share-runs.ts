/**
 * One run serves everybody who asked for it before it began: what they did before is done then. A run that is under way may have looked
 * already, so whoever asks now is served by the next one. At most one runs at a time, for each key.
 */
export const shareRuns = (run: (key: string) => Promise<void>): ((key: string) => Promise<void>) => {
  const next = new Map<string, Promise<void>>();
  const last = new Map<string, Promise<void>>();
  return (key) => {
    const joined = next.get(key);
    if (joined !== undefined) return joined;
    const begun = (last.get(key) ?? Promise.resolve()).then(() => {
      next.delete(key);
      return run(key);
    });
    next.set(key, begun);
    last.set(
      key,
      begun.catch(() => undefined), // whoever asked is told; the next one is tried all the same
    );
    return begun;
  };
};
