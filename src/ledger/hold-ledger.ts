// One agent at a time works with a ledger. A pod that is deleted by force is gone from the API at once, while its containers run
// on for seconds: its successor starts beside them, and two agents with one ledger would undo each other's work.
// The hold is a socket in the ledger's directory that somebody listens on. It ends with the process, however that ends, and
// whoever waits for it is connected to it and so learns of its end from the kernel.
// Holds are numbered, and the highest counts. The next number is taken only when nobody listens on the highest, and of several
// that try to take it one succeeds; files of lower numbers are removed by who has a higher one, the highest never.
import { link, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { isCode } from './error-code.ts';
import { besides } from './ledger-files.ts';
import { prepareDirectory } from './prepare-directory.ts';

export interface HoldOptions {
  /** Another process has it; called once. */
  readonly onWait: () => void;
  /** The disk takes nothing, no record either: nothing can be plugged, so nobody has to be kept out. */
  readonly onUnable: (error: unknown) => void;
}

export interface LedgerHold {
  release(): void;
}

const NUMBERED = /^agent\.lock\.(\d+)$/;
const UNWRITABLE = ['ENOSPC', 'EDQUOT', 'EROFS'];

/** Resolves when this process has the ledger for itself. */
export const holdLedger = async (directory: string, { onWait, onUnable }: HoldOptions): Promise<LedgerHold> => {
  await prepareDirectory(directory);
  let hasWaited = false;
  for (;;) {
    const highest = Math.max(0, ...(await numbersIn(directory)));
    const holder = await connectTo(pathOf(directory, highest));
    if (holder !== undefined) {
      if (!hasWaited) onWait();
      hasWaited = true;
      await endOf(holder);
      continue;
    }
    try {
      const hold = await take(directory, highest + 1);
      if (hold !== undefined) return hold;
    } catch (error) {
      if (!UNWRITABLE.some((code) => isCode(error, code))) throw error;
      onUnable(error);
      return { release: () => {} };
    }
  }
};

const pathOf = (directory: string, number: number): string => join(directory, `agent.lock.${number}`);

const numbersIn = async (directory: string): Promise<readonly number[]> =>
  (await readdir(directory)).flatMap((file) => NUMBERED.exec(file)?.[1] ?? []).map(Number);

/** Undefined when somebody else was faster. */
const take = async (directory: string, number: number): Promise<LedgerHold | undefined> => {
  const waiting = new Set<Socket>();
  const own = besides(pathOf(directory, number)); // what a crash leaves of it goes when the ledger is opened
  const server = await listen(own, (socket) => {
    waiting.add(socket);
    socket.unref();
    socket.on('error', () => {}).on('close', () => waiting.delete(socket));
  });
  const release = (): void => {
    server.close();
    for (const socket of waiting) socket.destroy();
  };
  server.unref();
  try {
    await link(own, pathOf(directory, number)); // fails when it exists
  } catch (error) {
    release();
    if (isCode(error, 'EEXIST')) return undefined;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
  const numbers = await numbersIn(directory);
  const isHighest = numbers.every((other) => other <= number);
  const outdated = isHighest ? numbers.filter((other) => other < number) : [number];
  for (const other of outdated) await rm(pathOf(directory, other), { force: true });
  if (isHighest) return { release };
  release(); // we looked so long ago that others have had it since
  return undefined;
};

const listen = async (path: string, onConnection: (socket: Socket) => void): Promise<Server> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer(onConnection).once('error', reject).listen(path, resolve);
  await promise;
  return server;
};

/** Undefined when nobody listens there. */
const connectTo = async (path: string): Promise<Socket | undefined> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>();
  const socket = connect(path, () => resolve(socket));
  socket.once('error', (error) => {
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].some((code) => isCode(error, code))) resolve(undefined);
    else reject(error);
  });
  return await promise;
};

const endOf = async (socket: Socket): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('error', () => {}).once('close', () => resolve());
  socket.resume(); // the end of what nobody sends is only seen by who reads
  await promise;
};
