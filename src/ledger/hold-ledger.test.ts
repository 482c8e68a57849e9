import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileLedger } from './file-ledger.ts';
import { holdLedger, type LedgerHold } from './hold-ledger.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hold-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const hold = (onWait = () => {}): Promise<LedgerHold> =>
  holdLedger(directory, {
    onWait,
    onUnable: (error) => {
      throw error;
    },
  });

/** A process that holds the ledger until it is ended. */
const startHolder = async () => {
  const program = `
    const { holdLedger } = await import(${JSON.stringify(resolve(import.meta.dirname, 'hold-ledger.ts'))});
    await holdLedger(${JSON.stringify(directory)}, { onWait: () => {}, onUnable: () => {} });
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
};

describe('the hold of a ledger', () => {
  it('is free again after its release', async () => {
    (await hold()).release();
    const again = await hold(() => expect.unreachable());
    expect(await readdir(directory)).toEqual(['agent.lock.2']);
    again.release();
  });

  it('is waited for until its holder is killed', async () => {
    const holder = await startHolder();
    const waits = Promise.withResolvers<void>();
    let isHeld = false;
    const next = hold(waits.resolve).then((held) => {
      isHeld = true;
      return held;
    });
    await waits.promise;
    await turn();
    expect(isHeld).toBe(false);
    holder.kill('SIGKILL');
    (await next).release();
  });

  it('is taken over at once from one that was killed before', async () => {
    const holder = await startHolder();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const next = await hold(() => expect.unreachable());
    next.release();
  });

  it('is one process at a time, whoever waits for one that was killed', async () => {
    const holder = await startHolder();
    let [holding, most] = [0, 0];
    const all = Array.from({ length: 20 }, async () => {
      const held = await hold();
      holding += 1;
      most = Math.max(most, holding);
      await turn();
      await turn();
      holding -= 1;
      held.release();
    });
    await turn();
    holder.kill('SIGKILL');
    await Promise.all(all);
    expect(most).toBe(1);
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('does not disturb the ledger, which clears away what a crash left of a try to get it', async () => {
    const held = await hold();
    await writeFile(join(directory, 'agent.lock.0123456789abcdef.tmp'), '');
    const ledger = await FileLedger.open(directory, ({ error }) => {
      throw error;
    });
    expect([ledger.list(), await readdir(directory)]).toEqual([[], ['agent.lock.1']]);
    held.release();
  });
});
