// Of several processes that want the same of a cluster, one acts at a time; the next finds it done.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locksDir } from './paths.ts';
import { pollUntil } from './poll-until.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A process that died cannot take its own file away. */
const removeIfLeft = async (file: string): Promise<void> => {
  const owner = Number(await readFile(file, 'utf8').catch(() => String(process.pid)));
  if (!isAlive(owner)) await rm(file, { force: true });
};

export const oneAtATime = async (
  cluster: string,
  what: string,
  work: () => Promise<void>,
  deadlineMs: number,
): Promise<void> => {
  await mkdir(locksDir(), { recursive: true });
  const file = join(locksDir(), `${cluster}-${what}`);
  const take = async (): Promise<true | undefined> => {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return true;
    } catch {
      await removeIfLeft(file);
      return undefined;
    }
  };
  await pollUntil(`${file}, which another process has`, take, { deadlineMs, intervalMs: 100 });
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
};
