// The last rules that Multus' configuration gave, kept beside the ledger: Multus removes its file when it stops, and an agent
// that starts in that moment must not take this for the absence of rules. Not part of any pod's record, and only a memory: what
// Multus says now always takes its place.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { MultusRules } from '../model/multus-rules.ts';
import { writeDurably } from './ledger-files.ts';

/** Not named like a record (.json), so that the ledger does not take it for one. */
const FILE = 'multus-rules';

const schema = z.object({
  version: z.literal(1),
  isNamespaceIsolated: z.boolean(),
  globalNamespaces: z.array(z.string()),
  defaultNetworks: z.array(z.string()),
});

export class RememberedRules {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** Undefined when there are none, or none that can be understood. */
  async load(): Promise<MultusRules | undefined> {
    try {
      const { version: _, defaultNetworks, ...rules } = schema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      return { ...rules, defaultNetworks: new Set(defaultNetworks) };
    } catch {
      return undefined;
    }
  }

  async save({ isNamespaceIsolated, globalNamespaces, defaultNetworks }: MultusRules): Promise<void> {
    const stored = { version: 1, isNamespaceIsolated, globalNamespaces, defaultNetworks: [...defaultNetworks] };
    await writeDurably(this.#path, `${JSON.stringify(stored)}\n`);
  }
}
