// Progress of long steps on stderr, with times, so that a person knows what is being waited for.

const startedAt = performance.now();
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const say = (text: string): void => {
  const elapsed = seconds(performance.now() - startedAt).padStart(8);
  process.stderr.write(`[cluster ${elapsed}] ${text}\n`);
};

export const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
  const begin = performance.now();
  say(`${name} ...`);
  try {
    const result = await run();
    say(`${name}: done in ${seconds(performance.now() - begin)}`);
    return result;
  } catch (error) {
    say(`${name}: FAILED after ${seconds(performance.now() - begin)}`);
    throw error;
  }
};
