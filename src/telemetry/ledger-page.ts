// What the ledger holds, for people who ask an agent: which interface of which pod, and in which state. No configs: networks may
// keep secrets in theirs.
import type { PodRecord } from '../model/attachment-record.ts';

export interface LedgerEntry {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly interface: string;
  readonly network: string;
  readonly state: string;
  /** Its pod is gone, or the sandbox that it was in. */
  readonly isOrphan: boolean;
}

export const listLedger = (
  records: readonly PodRecord[],
  isPodGone: (record: PodRecord) => boolean,
): readonly LedgerEntry[] =>
  records.flatMap((record) => {
    const { namespace, name: pod, uid, attachments, leftovers = [] } = record;
    const entry =
      (isOrphan: boolean) =>
      (item: PodRecord['attachments'][number]): LedgerEntry => ({
        namespace,
        pod,
        uid,
        interface: item.interface,
        network: item.network,
        state: item.state,
        isOrphan,
      });
    return [...attachments.map(entry(isPodGone(record))), ...leftovers.map(entry(true))];
  });
