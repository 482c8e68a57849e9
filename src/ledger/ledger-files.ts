// Files of the ledger. Only syncs are waited for: every call that goes through Node's thread pool costs more processor time than
// the system call itself, and a plug on a busy node needs that time itself. What remains, opening, writing and renaming small files,
// ends in the page cache; on a disk so slow that even this takes long, nothing could be plugged meanwhile anyway.
// Not write-file-atomic: that takes a short write, which is how a disk runs full, for a whole one, and then puts the
// truncated file in the place of the good one.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { shareRuns } from './share-runs.ts';

const SUFFIX = /\.[0-9a-f]{16}\.tmp$/;
const sync = promisify(fsync);
const syncData = promisify(fdatasync);

/** Where something is made that is to be put at `path` when it is whole. */
export const besides = (path: string): string => `${path}.${randomBytes(8).toString('hex')}.tmp`;

/** Whether a file of this name was being written when somebody cut it off. */
export const isLeftover = (file: string): boolean => SUFFIX.test(file);

export interface WriteOptions {
  /** Fails unless there is space for so many bytes more: for what will have to be added next. */
  readonly spareBytes?: number;
}

/**
 * Replaces a file so that a crash, or a disk without space, leaves the old content or the new one, never a part of it.
 * Returns when the content would survive a crash of the node.
 */
export const writeDurably = async (path: string, content: string, options: WriteOptions = {}): Promise<void> => {
  const beside = besides(path);
  try {
    await withFile(beside, 'wx', async (file) => {
      writeWithSpare(file, content, options);
      await sync(file);
    });
    renameSync(beside, path);
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
  await syncDirectory(dirname(path)); // the rename itself is only durable once the directory is
};

/**
 * Adds to the end of a file that exists. Content that is not synced survives the end of this process, and what was in the file before
 * survives everything. What could not be added whole is taken out again.
 */
export const append = (
  path: string,
  content: string,
  { isSynced, ...options }: WriteOptions & { readonly isSynced: boolean },
): Promise<void> =>
  withFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW, async (file) => {
    const { size } = fstatSync(file);
    try {
      writeWithSpare(file, content, options);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
    if (isSynced) await syncData(file);
  });

const writeWithSpare = (file: number, content: string, { spareBytes = 0 }: WriteOptions): void => {
  writeFileSync(file, content);
  if (spareBytes === 0) return;
  const { size } = fstatSync(file);
  writeFileSync(file, ' '.repeat(spareBytes)); // behind the last line break: a reader takes it for what was cut off
  ftruncateSync(file, size);
};

/** Why something failed counts more than what is left of it, which goes when the ledger is opened. */
const removeQuietly = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch {}
};

const withFile = async (
  path: string,
  flags: string | number,
  work: (descriptor: number) => Promise<void>,
): Promise<void> => {
  const descriptor = openSync(path, flags, 0o600);
  try {
    await work(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** In a burst of plugs many files are renamed at once: their directory is synced for all of them together. */
const syncDirectory = shareRuns((path) => withFile(path, 'r', sync));
