// Replaces a file so that a crash, or a disk without space, leaves the old content or the new one, never a part of it.
// Not write-file-atomic: that takes a short write, which is how a disk runs full, for a whole one, and then puts the
// truncated file in the place of the good one.
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shareRuns } from './share-runs.ts';

const SUFFIX = /\.[0-9a-f]{16}\.tmp$/;

/** Where something is made that is to be put at `path` when it is whole. */
export const besides = (path: string): string => `${path}.${randomBytes(8).toString('hex')}.tmp`;

/** Whether a file of this name was being written when somebody cut it off. */
export const isLeftover = (file: string): boolean => SUFFIX.test(file);

/** Returns when the content would survive a crash of the node. */
export const writeDurably = async (path: string, content: string): Promise<void> => {
  const beside = besides(path);
  try {
    await withFile(beside, 'wx', async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path)); // the rename itself is only durable once the directory is
};

type OpenFile = Awaited<ReturnType<typeof open>>;

const withFile = async (path: string, flags: string, work: (file: OpenFile) => Promise<void>): Promise<void> => {
  const file = await open(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
};

/** In a burst of plugs many files are renamed at once: their directory is synced for all of them together. */
const syncDirectory = shareRuns((path) => withFile(path, 'r', (directory) => directory.sync()));
