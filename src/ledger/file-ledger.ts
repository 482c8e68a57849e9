// What was done, on the node's disk: one JSON file per pod uid. Its promises:
// - save() returns only when the record would survive a crash of the node: written beside, synced, renamed, directory synced;
// - a crash at any instruction leaves the old record or the new one, never a mixture;
// - find() and list() answer from memory: the directory is read once, at open();
// - a file that cannot be understood is set aside with its content, reported, and never stops the agent.
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodRecord } from '../model/attachment-record.ts';
import { KnownError } from '../model/errors.ts';
import { type PodKey, podKey } from '../model/keys.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { parsePodRecord } from './record-schema.ts';
import { isLeftover, writeDurably } from './write-durably.ts';

export interface CorruptFile {
  readonly file: string;
  readonly setAsideAs: string;
  readonly error: unknown;
}

const SUFFIX = '.json';
/** Kubernetes uids; anything else must not become part of a path. */
const UID = /^[A-Za-z0-9-]{1,64}$/;

export class FileLedger {
  readonly #directory: string;
  /** What the disk holds, by uid: changed only after the disk was. */
  readonly #records = new Map<string, PodRecord>();
  /** Uids by pod key: a name may have been used by several pods in turn. */
  readonly #byKey = new Map<PodKey, Set<string>>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string, onCorrupt: (file: CorruptFile) => void): Promise<FileLedger> {
    await prepareDirectory(directory);
    const ledger = new FileLedger(directory);
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
      await writeDurably(this.#path(record.uid), `${JSON.stringify(record)}\n`);
    } catch (error) {
      throw this.#unwritable(error);
    }
    this.#remember(record);
  }

  /** A record that a crash brings back after this only costs one repeated, idempotent DEL: no sync is needed. */
  async remove(uid: string): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    try {
      await rm(this.#path(uid), { force: true });
    } catch (error) {
      throw this.#unwritable(error);
    }
    this.#records.delete(uid);
    const key = podKey(record.namespace, record.name);
    const uids = this.#byKey.get(key);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byKey.delete(key);
  }

  async #load(file: string, onCorrupt: (file: CorruptFile) => void): Promise<void> {
    const path = join(this.#directory, file);
    try {
      const record = parsePodRecord(await readFile(path, 'utf8'));
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
