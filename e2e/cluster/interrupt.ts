// A person who presses Ctrl-C must not be left with a running cluster.

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Runs `cleanUp` once when the process is asked to end, then ends it. Returns how to take that back. */
export const onInterrupt = (cleanUp: () => Promise<void>): (() => void) => {
  const react = (): void => {
    forget();
    process.stderr.write('interrupted: cleaning up; a second signal ends at once\n');
    cleanUp()
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => process.exit(130));
  };
  const forget = (): void => {
    for (const signal of signals) process.off(signal, react);
  };
  for (const signal of signals) process.on(signal, react);
  return forget;
};
