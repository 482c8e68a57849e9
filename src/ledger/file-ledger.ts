// What was done, on the node's disk: one file per pod uid, with a line of JSON for each state; the last whole line counts. Promises:
// - save() returns only when the record survives the end of this process, however it ends;
// - what the record tells to undo survives a crash of the node, too: only for that is the disk waited for. The last state itself may
//   be lost then, but the sandbox that it was about is as well;
// - what is begun can be ended: an intent is only taken where there is space for its outcome, too;
// - a crash at any instruction leaves the old record or the new one, never a mixture;
// - find() and list() answer from memory: the directory is read once, at open();
// - a file that cannot be understood is set aside with its content, reported, and never stops the agent.
import { unlinkSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnfinished, type PodRecord, tellsAllToUndo } from '../model/attachment-record.ts';
import { KnownError } from '../model/errors.ts';
import { type PodKey, podKey } from '../model/keys.ts';
import { isCode } from './error-code.ts';
import { append, isLeftover, writeDurably } from './ledger-files.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { parsePodFile } from './record-schema.ts';

export interface CorruptFile {
  readonly file: string;
  readonly setAsideAs: string;
  readonly error: unknown;
}

const SUFFIX = '.json';
/** Kubernetes uids; anything else must not become part of a path. */
const UID = /^[A-Za-z0-9-]{1,64}$/;
/** A file with so many states is written anew with the last one. */
const MAX_LINES = 16;
/** An outcome is as long as its intent and what network-status is to say; no block of a file system is larger than this usually. */
const SPARE_BYTES = 4096;

/** How files get to the disk. */
export interface Disk {
  readonly writeDurably: typeof writeDurably;
  readonly append: typeof append;
}

export class FileLedger {
  readonly #directory: string;
  readonly #disk: Disk;
  /** What the disk holds, by uid: changed only after the disk was. */
  readonly #records = new Map<string, PodRecord>();
  /** Uids by pod key: a name may have been used by several pods in turn. */
  readonly #byKey = new Map<PodKey, Set<string>>();
  /** How many lines the files have that this process wrote whole, by uid: any other is written anew. */
  readonly #lines = new Map<string, number>();

  private constructor(directory: string, disk: Disk) {
    this.#directory = directory;
    this.#disk = disk;
  }

  static async open(
    directory: string,
    onCorrupt: (file: CorruptFile) => void,
    disk: Disk = { writeDurably, append },
  ): Promise<FileLedger> {
    await prepareDirectory(directory);
    const ledger = new FileLedger(directory, disk);
    for (const file of await readdir(directory)) {
      if (file.endsWith(SUFFIX)) await ledger.#load(file, onCorrupt);
      else if (isLeftover(file)) await rm(join(directory, file), { force: true });
    }
    return ledger;
  }

  find(uid: string): PodRecord | undefined {
    return this.#records.get(uid);
  }

  list(): PodRecord[] {
    return [...this.#records.values()];
  }

  /** Records of all pods that ever had this name and still have something to release. */
  findByKey(key: PodKey): PodRecord[] {
    return [...(this.#byKey.get(key) ?? [])].flatMap((uid) => this.#records.get(uid) ?? []);
  }

  async save(record: PodRecord): Promise<void> {
    try {
      await this.#write(record);
    } catch (error) {
      throw this.#unwritable(error);
    }
    this.#remember(record);
  }

  /** A record that a crash brings back after this only costs one repeated, idempotent DEL: no sync is needed. */
  async remove(uid: string): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    this.#lines.delete(uid);
    try {
      unlinkSync(this.#path(uid));
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw this.#unwritable(error);
    }
    this.#records.delete(uid);
    const key = podKey(record.namespace, record.name);
    const uids = this.#byKey.get(key);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byKey.delete(key);
  }

  async #write(record: PodRecord): Promise<void> {
    const path = this.#path(record.uid);
    const line = `${JSON.stringify(record)}\n`;
    const spareBytes = record.attachments.some(isUnfinished) ? Buffer.byteLength(line) + SPARE_BYTES : 0;
    const lines = this.#lines.get(record.uid) ?? MAX_LINES;
    this.#lines.delete(record.uid); // until it is known how this write ended
    if (lines < MAX_LINES && (await this.#tryAppend(path, line, record, spareBytes))) {
      this.#lines.set(record.uid, lines + 1);
    } else {
      await this.#disk.writeDurably(path, line, { spareBytes });
      this.#lines.set(record.uid, 1);
    }
  }

  /** False when nothing can be added to the file. If the disk is to blame, replacing the file fails as well, and says why. */
  async #tryAppend(path: string, line: string, record: PodRecord, spareBytes: number): Promise<boolean> {
    const before = this.#records.get(record.uid);
    const isSynced = before === undefined || !tellsAllToUndo(before, record);
    return await this.#disk.append(path, line, { isSynced, spareBytes }).then(
      () => true,
      () => false,
    );
  }

  async #load(file: string, onCorrupt: (file: CorruptFile) => void): Promise<void> {
    const path = join(this.#directory, file);
    try {
      const record = parsePodFile(await readFile(path, 'utf8'));
      if (`${record.uid}${SUFFIX}` !== file)
        throw new Error(`the file is named ${file}, but its record is of pod uid ${record.uid}`);
      this.#remember(record);
    } catch (error) {
      const setAsideAs = `${path}.corrupt-${Date.now()}`;
      await rename(path, setAsideAs);
      onCorrupt({ file: path, setAsideAs, error });
    }
  }

  #remember(record: PodRecord): void {
    this.#records.set(record.uid, record);
    const key = podKey(record.namespace, record.name);
    const uids = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, uids.add(record.uid));
  }

  #path(uid: string): string {
    if (!UID.test(uid)) throw new TypeError(`pod uid ${JSON.stringify(uid)} cannot name a ledger file`);
    return join(this.#directory, `${uid}${SUFFIX}`);
  }

  #unwritable(cause: unknown): KnownError {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return new KnownError(
      'ledgerUnwritable',
      `the ledger at ${this.#directory} cannot be written (${detail}); nothing is plugged until it can be: free space or mend the volume`,
      { cause },
    );
  }
}
