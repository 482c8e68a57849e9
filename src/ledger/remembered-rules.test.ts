import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MultusRules } from '../model/multus-rules.ts';
import { type CorruptFile, FileLedger } from './file-ledger.ts';
import { RememberedRules } from './remembered-rules.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rules-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const rules: MultusRules = {
  isNamespaceIsolated: true,
  globalNamespaces: ['infra'],
  defaultNetworks: new Set(['kube-system/mon']),
};

it('remembers what was saved last', async () => {
  await new RememberedRules(directory).save({ ...rules, isNamespaceIsolated: false });
  await new RememberedRules(directory).save(rules);
  expect(await new RememberedRules(directory).load()).toEqual(rules);
});

it.each([
  ['nothing was saved', undefined],
  ['the file is empty', ''],
  ['the file is cut off', '{"version":1,"isNamespaceIsol'],
  [
    'the file says something else',
    '{"version":1,"isNamespaceIsolated":"no","globalNamespaces":[],"defaultNetworks":[]}',
  ],
  ['the file is of a later version', '{"version":2}'],
])('knows nothing when %s', async (_, content) => {
  if (content !== undefined) writeFileSync(join(directory, 'multus-rules'), content);
  expect(await new RememberedRules(directory).load()).toBeUndefined();
});

it('is no record of a pod: the ledger beside it does not touch it', async () => {
  await new RememberedRules(directory).save(rules);
  const corrupt: CorruptFile[] = [];
  const ledger = await FileLedger.open(directory, (file) => corrupt.push(file));
  expect([ledger.list(), corrupt, readdirSync(directory)]).toEqual([[], [], ['multus-rules']]);
});
