// Regression: write-file-atomic took a short write for a whole one, so a full disk replaced a good record by a truncated one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PodRecord } from '../model/attachment-record.ts';
import { record } from '../model/test-builders.ts';
import { FileLedger } from './file-ledger.ts';

const directory = mkdtempSync(join(tmpdir(), 'tiny-'));
const isMounted = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  if (isMounted) execFileSync('umount', [directory]);
  rmSync(directory, { recursive: true, force: true });
});

const podRecord = (config: string): PodRecord => ({
  version: 1,
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
  sandboxMark: '',
  attachments: [record('blue@net1', { config })],
});

describe.skipIf(!isMounted)('a disk that runs full (skipped where no tmpfs can be mounted)', () => {
  it('keeps the old record, whole, and says that the ledger cannot be written', async () => {
    const ledger = await FileLedger.open(directory, ({ error }) => {
      throw error;
    });
    await ledger.save(podRecord('old'));
    for (const size of [16_500, 20_000, 30_000]) {
      await expect(ledger.save(podRecord('x'.repeat(size)))).rejects.toMatchObject({
        kind: 'ledgerUnwritable',
        cause: expect.objectContaining({ code: 'ENOSPC' }),
      });
    }
    expect(ledger.find('uid-1')).toEqual(podRecord('old'));
    expect(JSON.parse(await readFile(join(directory, 'uid-1.json'), 'utf8'))).toEqual(podRecord('old'));
    expect(await readdir(directory)).toEqual(['uid-1.json']);
  });

  it('takes no intent whose outcome may not find space, but an outcome that finds some', async () => {
    const inState = (state: 'adding' | 'added'): PodRecord => ({
      ...podRecord('{}'),
      attachments: [record('blue@net1', { state })],
    });
    const ledger = await FileLedger.open(directory, () => undefined);
    await ledger.save(inState('adding'));
    const filler = join(directory, 'filler');
    expect(() => writeFileSync(filler, 'x'.repeat(20_000))).toThrow(/ENOSPC/); // what is left is in the block of the record
    await expect(ledger.save(inState('adding'))).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    rmSync(filler);
    await ledger.save(inState('adding'));
    expect(() => writeFileSync(filler, 'x'.repeat(20_000))).toThrow(/ENOSPC/);
    await ledger.save(inState('added'));
    rmSync(filler);
    const again = await FileLedger.open(directory, () => undefined);
    expect([ledger.find('uid-1'), again.find('uid-1')]).toEqual([inState('added'), inState('added')]);
  });

  it('takes records again as soon as there is space', async () => {
    const ledger = await FileLedger.open(directory, () => undefined);
    await ledger.save(podRecord('old'));
    const large = podRecord('new'.repeat(2000));
    writeFileSync(join(directory, 'filler'), 'x'.repeat(12_000));
    await expect(ledger.save(large)).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    rmSync(join(directory, 'filler'));
    await ledger.save(large);
    expect((await FileLedger.open(directory, () => undefined)).find('uid-1')).toEqual(large);
  });
});
