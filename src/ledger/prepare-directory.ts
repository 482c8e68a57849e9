import { chmod, lstat, mkdir } from 'node:fs/promises';

/**
 * Who can write here decides what the agent undoes. A link would let somebody else decide where `here` is; a directory that
 * kubelet made is open to all readers.
 */
export const prepareDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (found.isSymbolicLink())
    throw new Error(`the ledger at ${directory} is a symbolic link; point ledgerDir at the directory itself`);
  if ((found.mode & 0o077) !== 0) await chmod(directory, 0o700);
};
