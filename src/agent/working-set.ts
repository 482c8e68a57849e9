// The attachments of one pod while a reconcile works on them: the ledger's records, changed step by step in memory and
// written as a whole, before acting (what may happen) and after (what did).
import type { AttachmentRecord, AttachmentState, PodRecord } from '../model/attachment-record.ts';
import type { Pod } from '../model/pod.ts';
import type { Ledger } from './ports.ts';

export class WorkingSet {
  readonly #ledger: Ledger;
  readonly #pod: Pick<PodRecord, 'namespace' | 'name' | 'uid'>;
  /** In the order in which they were plugged: that is the order to list them, and its reverse the order to undo them. */
  #records: AttachmentRecord[];
  #sandboxMark: string;
  readonly #leftovers: Pick<PodRecord, 'leftovers'>;

  constructor(ledger: Ledger, pod: Pod) {
    const stored = ledger.find(pod.uid);
    this.#ledger = ledger;
    this.#pod = { namespace: pod.namespace, name: pod.name, uid: pod.uid };
    this.#records = [...(stored?.attachments ?? [])];
    this.#sandboxMark = stored?.sandboxMark ?? pod.sandboxMark;
    this.#leftovers = stored?.leftovers === undefined ? {} : { leftovers: stored.leftovers };
  }

  get records(): readonly AttachmentRecord[] {
    return this.#records;
  }

  get sandboxMark(): string {
    return this.#sandboxMark;
  }

  put(record: AttachmentRecord): void {
    this.#records = [...this.#records.filter((other) => !isSameAttachment(other, record)), record];
  }

  setState(record: AttachmentRecord, state: AttachmentState): AttachmentRecord {
    const changed = { ...record, state };
    this.#records = this.#records.map((other) => (isSameAttachment(other, record) ? changed : other));
    return changed;
  }

  drop(record: AttachmentRecord): void {
    this.#records = this.#records.filter((other) => !isSameAttachment(other, record));
  }

  /** Takes back what was put in memory but could not be written. */
  reset(records: readonly AttachmentRecord[]): void {
    this.#records = [...records];
  }

  /** Forgets interfaces that are gone and that the status no longer tells of. Returns whether there were any. */
  dropRemoved(): boolean {
    const before = this.#records.length;
    this.#records = this.#records.filter((record) => record.state !== 'removed');
    return this.#records.length !== before;
  }

  async save(sandboxMark = this.#sandboxMark): Promise<void> {
    this.#sandboxMark = sandboxMark;
    const isEmpty = this.#records.length === 0 && this.#leftovers.leftovers === undefined;
    if (isEmpty) await this.#ledger.remove(this.#pod.uid);
    else
      await this.#ledger.save({
        version: 1,
        ...this.#pod,
        sandboxMark,
        attachments: this.#records,
        ...this.#leftovers,
      });
  }
}

/** One interface of one sandbox, of one network: a name that moved to another network is two records for a while. */
export const isSameAttachment = (a: AttachmentRecord, b: AttachmentRecord): boolean =>
  a.interface === b.interface && a.containerId === b.containerId && a.network === b.network && a.request === b.request;
