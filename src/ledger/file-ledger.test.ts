import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodRecord } from '../model/attachment-record.ts';
import { podKey } from '../model/keys.ts';
import { record } from '../model/test-builders.ts';
import { type CorruptFile, FileLedger } from './file-ledger.ts';
import { append, writeDurably } from './ledger-files.ts';

let directory: string;
let corrupt: CorruptFile[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-'));
  corrupt = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const open = () => FileLedger.open(directory, (file) => corrupt.push(file));
const podRecord = (uid: string, fields: Partial<PodRecord> = {}): PodRecord => ({
  version: 1,
  namespace: 'shop',
  name: 'web',
  uid,
  sandboxMark: '10.0.0.1|True|',
  attachments: [record('blue@net1')],
  ...fields,
});

describe('what was saved', () => {
  it('is found again, also by a ledger that is opened later', async () => {
    const full = podRecord('uid-1', {
      attachments: [
        record('blue@net1', { deviceId: '0000:65:00.2', unsettledUntilMs: 5 }),
        record('red@net2', { state: 'adding' }),
      ],
      leftovers: [record('blue@net1', { containerId: 'sandbox-0', unsettledUntilMs: 7 })],
    });
    await (await open()).save(full);
    const again = await open();
    expect([again.find('uid-1'), again.list(), again.find('uid-2')]).toEqual([full, [full], undefined]);
  });

  it('replaces what was saved before for that pod', async () => {
    const ledger = await open();
    await ledger.save(podRecord('uid-1'));
    await ledger.save(podRecord('uid-1', { attachments: [] }));
    expect([ledger.list().length, (await open()).find('uid-1')?.attachments]).toEqual([1, []]);
  });

  it('is gone after it was removed, and removing it again does nothing', async () => {
    const ledger = await open();
    await ledger.save(podRecord('uid-1'));
    await ledger.remove('uid-1');
    await ledger.remove('uid-1');
    expect([ledger.find('uid-1'), ledger.findByKey(podKey('shop', 'web'))]).toEqual([undefined, []]);
    expect((await open()).list()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('can be read by nobody else on the node', async () => {
    await (await open()).save(podRecord('uid-1'));
    expect((await stat(join(directory, 'uid-1.json'))).mode & 0o777).toBe(0o600);
  });

  it('lies in one file per pod and leaves no other behind', async () => {
    const ledger = await open();
    await Promise.all([1, 2, 3].map((i) => ledger.save(podRecord(`uid-${i}`))));
    expect((await readdir(directory)).sort()).toEqual(['uid-1.json', 'uid-2.json', 'uid-3.json']);
  });

  it('is whole for 50 pods that were saved at once, several times each', async () => {
    const ledger = await open();
    const uids = Array.from({ length: 50 }, (_, i) => `uid-${i}`);
    const saveAll = (mark: string) =>
      Promise.all(uids.map((uid) => ledger.save(podRecord(uid, { name: uid, sandboxMark: mark }))));
    for (const mark of ['a', 'b', 'c']) await saveAll(mark);
    const again = await open();
    expect(again.list().map(({ sandboxMark }) => sandboxMark)).toEqual(uids.map(() => 'c'));
    expect(again.findByKey(podKey('shop', 'uid-7')).map(({ uid }) => uid)).toEqual(['uid-7']);
  });
});

describe('the file of a pod', () => {
  const file = () => join(directory, 'uid-1.json');
  const withState = (state: 'adding' | 'added') =>
    podRecord('uid-1', { attachments: [record('blue@net1', { state })] });
  const saved = async (): Promise<string> => {
    const ledger = await open();
    await ledger.save(withState('adding'));
    await ledger.save(withState('added'));
    return await readFile(file(), 'utf8');
  };

  it('has a line for each state, and the last one counts', async () => {
    const lines = (await saved()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([withState('adding'), withState('added')]);
    expect((await open()).list()).toEqual([withState('added')]);
  });

  it('tells the state before, wherever the last line was cut off', async () => {
    const text = await saved();
    const firstEnd = text.indexOf('\n') + 1;
    for (let end = firstEnd; end < text.length; end += 1) {
      await writeFile(file(), text.slice(0, end));
      expect((await open()).find('uid-1')).toEqual(withState('adding'));
    }
    expect(corrupt).toEqual([]);
  });

  it('tells the state before, when a power cut left the last line without its content', async () => {
    const text = await saved();
    const firstEnd = text.indexOf('\n') + 1;
    await writeFile(file(), `${text.slice(0, firstEnd)}${'\u0000'.repeat(text.length - firstEnd)}`);
    expect([(await open()).list(), corrupt]).toEqual([[withState('adding')], []]);
  });

  it('goes on with a new line after one that was cut off', async () => {
    const text = await saved();
    await writeFile(file(), text.slice(0, -10));
    await (await open()).save(withState('added'));
    expect([(await open()).list(), corrupt]).toEqual([[withState('added')], []]);
  });

  it('may have been written by hand, over several lines', async () => {
    await writeFile(file(), JSON.stringify(withState('added'), null, 2));
    expect([(await open()).list(), corrupt]).toEqual([[withState('added')], []]);
  });

  it('stays short, however often its pod is worked on', async () => {
    const ledger = await open();
    const lengths: number[] = [];
    for (let turn = 0; turn < 50; turn += 1) {
      await ledger.save(withState(turn % 2 === 0 ? 'adding' : 'added'));
      lengths.push((await readFile(file(), 'utf8')).trimEnd().split('\n').length);
    }
    expect([Math.max(...lengths), (await open()).list()]).toEqual([16, [withState('added')]]);
  });

  it('is not added to after a write that nobody could take back', async () => {
    const failing = { isNow: false };
    const ledger = await FileLedger.open(directory, (one) => corrupt.push(one), {
      append: async (path, content, how) => {
        await append(path, failing.isNow ? content.slice(0, 20) : content, how);
        if (failing.isNow) throw new Error('the disk is gone');
      },
      writeDurably: async (path, content, options) => {
        if (failing.isNow) throw new Error('the disk is gone');
        await writeDurably(path, content, options);
      },
    });
    await ledger.save(withState('adding'));
    failing.isNow = true;
    await expect(ledger.save(withState('added'))).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    expect((await open()).list()).toEqual([withState('adding')]);
    failing.isNow = false;
    await ledger.save(withState('added'));
    expect([(await open()).list(), corrupt]).toEqual([[withState('added')], []]);
  });

  it.each<[string, () => Promise<void>]>([
    ['was removed by somebody', () => rm(file())],
    [
      'was replaced by a link',
      async () => {
        await rm(file());
        await symlink(join(directory, 'precious'), file());
      },
    ],
  ])('is made anew when it %s', async (_, meddle) => {
    await writeFile(join(directory, 'precious'), 'kept');
    const ledger = await open();
    await ledger.save(withState('adding'));
    await meddle();
    await ledger.save(withState('added'));
    expect([(await open()).list(), corrupt]).toEqual([[withState('added')], []]);
    expect(await readFile(join(directory, 'precious'), 'utf8')).toBe('kept');
  });
});

describe('findByKey', () => {
  it('finds every pod that had the name, and only those', async () => {
    const ledger = await open();
    await ledger.save(podRecord('uid-1'));
    await ledger.save(podRecord('uid-2'));
    await ledger.save(podRecord('uid-3', { name: 'db' }));
    const uids = () => ledger.findByKey(podKey('shop', 'web')).map(({ uid }) => uid);
    expect(uids()).toEqual(['uid-1', 'uid-2']);
    await ledger.remove('uid-1');
    expect(uids()).toEqual(['uid-2']);
  });
});

describe('opening', () => {
  it('makes the directory, for the agent alone', async () => {
    directory = join(directory, 'new', 'ledger');
    await open();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('removes what a cut-off write left, and the old record is intact', async () => {
    await (await open()).save(podRecord('uid-1'));
    await writeFile(join(directory, 'uid-1.json.0123456789abcdef.tmp'), '{"version":1,"names');
    const again = await open();
    expect([again.find('uid-1'), corrupt]).toEqual([podRecord('uid-1'), []]);
    expect(await readdir(directory)).toEqual(['uid-1.json']);
  });

  it('regression: leaves files and directories alone that are not its own, such as lost+found', async () => {
    await mkdir(join(directory, 'lost+found'));
    await writeFile(join(directory, 'README'), 'keep me');
    await open();
    expect((await readdir(directory)).sort()).toEqual(['README', 'lost+found']);
  });

  it.each<[string, string]>([
    ['text that is no JSON', '{"version":1,'],
    ['an empty file', ''],
    ['a record of another version', JSON.stringify({ ...podRecord('uid-1'), version: 2 })],
    ['a record without a field', JSON.stringify({ ...podRecord('uid-1'), name: undefined })],
    ['a record with a state that is none', JSON.stringify(podRecord('uid-1')).replace('"added"', '"plugged"')],
    ['a record of a network that is none', JSON.stringify(podRecord('uid-1')).replaceAll('shop/blue', 'blue')],
    ['the record of another pod', JSON.stringify(podRecord('uid-2'))],
    ['the record of a path', JSON.stringify(podRecord('../uid-1'))],
  ])('sets %s aside with its content, reports it, and goes on', async (_, content) => {
    await (await open()).save(podRecord('uid-9'));
    await writeFile(join(directory, 'uid-1.json'), content);
    const ledger = await open();
    expect(ledger.list().map(({ uid }) => uid)).toEqual(['uid-9']);
    const [report] = corrupt;
    expect(report).toMatchObject({ file: join(directory, 'uid-1.json'), error: expect.any(Error) });
    expect(await readFile(report?.setAsideAs ?? '', 'utf8')).toBe(content);
    expect((await open()).list()).toHaveLength(1);
    expect(corrupt).toHaveLength(1); // what was set aside is not reported again, nor removed
    expect(await readFile(report?.setAsideAs ?? '', 'utf8')).toBe(content);
  });

  it('fails when the directory cannot be made', async () => {
    await writeFile(join(directory, 'file'), '');
    directory = join(directory, 'file');
    await expect(open()).rejects.toThrow(/EEXIST|ENOTDIR/);
    directory = join(directory, '..');
  });
});

describe('a uid that could leave the directory', () => {
  it.each([['../evil'], ['a/b'], [''], ['.'], ['a'.repeat(65)], ['uid\u0000']])('%j is refused', async (uid) => {
    const ledger = await open();
    await expect(ledger.save(podRecord(uid))).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    expect([ledger.list(), await readdir(directory)]).toEqual([[], []]);
  });
});

describe('a directory that cannot be written', () => {
  it('is told of as such, and memory still shows what the disk holds', async () => {
    const ledger = await open();
    await ledger.save(podRecord('uid-1'));
    await rm(directory, { recursive: true });
    await writeFile(directory, 'now a file');
    await expect(ledger.save(podRecord('uid-1', { attachments: [] }))).rejects.toMatchObject({
      kind: 'ledgerUnwritable',
      message: expect.stringContaining(`the ledger at ${directory} cannot be written (`),
      cause: expect.objectContaining({ code: 'ENOTDIR' }),
    });
    await expect(ledger.remove('uid-1')).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    expect(ledger.find('uid-1')).toEqual(podRecord('uid-1'));
  });

  it.skipIf(process.getuid?.() === 0)('not even for lack of permission (skipped as root)', async () => {
    const ledger = await open();
    await chmod(directory, 0o500);
    await expect(ledger.save(podRecord('uid-1'))).rejects.toMatchObject({ kind: 'ledgerUnwritable' });
    await chmod(directory, 0o700);
    expect(ledger.list()).toEqual([]);
  });
});

describe('the directory', () => {
  it('is closed to everybody else, also one that was there before', async () => {
    await chmod(directory, 0o755);
    await open();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('that is a symbolic link is refused, and what it points at is not touched', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    await chmod(elsewhere, 0o755);
    await writeFile(join(elsewhere, 'uid-1.json'), 'kept');
    const link = join(directory, 'link');
    await symlink(elsewhere, link);
    await expect(FileLedger.open(link, (file) => corrupt.push(file))).rejects.toThrow(/is a symbolic link/);
    expect([(await stat(elsewhere)).mode & 0o777, await readdir(elsewhere)]).toEqual([0o755, ['uid-1.json']]);
    await rm(elsewhere, { recursive: true });
  });

  it('with a link in the place of a record loses the link, not what it points at', async () => {
    const target = join(directory, 'precious');
    await writeFile(target, 'kept');
    await symlink(target, join(directory, 'uid-1.json'));
    const ledger = await open();
    await ledger.save(podRecord('uid-1'));
    expect([corrupt.length, await readFile(target, 'utf8')]).toEqual([1, 'kept']);
  });
});
