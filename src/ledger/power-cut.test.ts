// A power cut takes what was not synced. All sandboxes are gone then, too: what counts is that everything can still be undone.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AttachmentRecord, mayHoldResources, type PodRecord } from '../model/attachment-record.ts';
import { record } from '../model/test-builders.ts';
import { type Disk, FileLedger } from './file-ledger.ts';
import { append, writeDurably } from './ledger-files.ts';

/** The real one, which also remembers what of each file would be there after a power cut. */
const makeDisk = () => {
  const durable = new Map<string, string>();
  const disk: Disk = {
    writeDurably: async (path, content, options) => {
      await writeDurably(path, content, options);
      durable.set(path, content);
    },
    append: async (path, content, how) => {
      await append(path, content, how);
      if (how.isSynced) durable.set(path, readFileSync(path, 'utf8'));
    },
  };
  return { disk, durable };
};

const attachment: fc.Arbitrary<AttachmentRecord> = fc
  .record({
    element: fc.constantFrom('blue@net1', 'red@net1', 'red@net2'),
    state: fc.constantFrom('adding', 'added', 'removing', 'removed'),
    containerId: fc.constantFrom('sandbox-1', 'sandbox-2'),
    config: fc.constantFrom('{"type":"bridge"}', '{"type":"macvlan"}'),
  })
  .map(({ element, ...fields }) => record(element, fields));
const attachments = fc.array(attachment, { maxLength: 3 });
const podRecord: fc.Arbitrary<PodRecord> = fc.record({
  version: fc.constant(1),
  namespace: fc.constant('shop'),
  name: fc.constant('web'),
  uid: fc.constantFrom('uid-1', 'uid-2'),
  sandboxMark: fc.constantFrom('a', 'b'),
  attachments,
  leftovers: attachments,
});
const step = fc.oneof(
  { weight: 9, arbitrary: podRecord },
  { weight: 1, arbitrary: fc.constantFrom('uid-1', 'uid-2') }, // its record is removed
);

const heldBy = (known: PodRecord | undefined): readonly AttachmentRecord[] =>
  [...(known?.attachments ?? []), ...(known?.leftovers ?? [])].filter(mayHoldResources);
/** What a DEL is made of. */
const undoOf = ({ interface: name, network, containerId, config }: AttachmentRecord): string =>
  JSON.stringify([name, network, containerId, config]);

it('whenever the power is cut, everything that was recorded can be undone, and nothing is corrupt', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const directory = mkdtempSync(join(tmpdir(), 'power-'));
    try {
      const { disk, durable } = makeDisk();
      const ledger = await FileLedger.open(directory, ({ error }) => expect.fail(String(error)), disk);
      for (const one of steps) {
        if (typeof one === 'string') await ledger.remove(one);
        else await ledger.save(one);
      }
      const left = mkdtempSync(join(tmpdir(), 'power-'));
      for (const [path, text] of durable) writeFileSync(join(left, basename(path)), text);
      const after = await FileLedger.open(left, ({ error }) => expect.fail(String(error)));
      for (const uid of ['uid-1', 'uid-2']) {
        const undone = heldBy(after.find(uid)).map(undoOf);
        expect(undone).toEqual(expect.arrayContaining(heldBy(ledger.find(uid)).map(undoOf)));
      }
      rmSync(left, { recursive: true });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  await fc.assert(property, { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 300) });
});
