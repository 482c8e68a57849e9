// What only the node's own CNI configuration tells: Multus' namespace isolation, which it does not enforce on /delegate,
// the networks it attaches to every pod unasked, and configs of networks whose NetworkAttachmentDefinition is empty. Files are read anew once they changed.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isJsonObject } from '../model/json.ts';
import type { MultusRules } from '../model/multus-rules.ts';

export interface NodeNetworksOptions {
  /** Where Multus' own config is: 00-multus.conf in the runtime's CNI directory. */
  readonly cniConfigDir: string;
  /** Where configs of empty NetworkAttachmentDefinitions are. */
  readonly networkConfigDir: string;
  readonly now?: () => number;
}

const REREAD_MS = 2000;
const noRules: MultusRules = { isNamespaceIsolated: false, globalNamespaces: [], defaultNetworks: new Set() };

const multusConfig = z.object({
  type: z.enum(['multus', 'multus-shim']),
  namespaceIsolation: z.optional(z.nullable(z.boolean())),
  globalNamespaces: z.optional(z.nullable(z.string())),
  defaultNetworks: z.optional(z.nullable(z.array(z.string()))),
  multusNamespace: z.optional(z.nullable(z.string())),
});

export class NodeNetworks {
  readonly #options: NodeNetworksOptions;
  readonly #now: () => number;
  #rules: { readonly value: MultusRules; readonly readAtMs: number } | undefined;

  constructor(options: NodeNetworksOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async rules(): Promise<MultusRules> {
    if (this.#rules === undefined || this.#now() - this.#rules.readAtMs >= REREAD_MS) {
      this.#rules = { value: await this.#readRules(), readAtMs: this.#now() };
    }
    return this.#rules.value;
  }

  /** The config file on this node whose `name` is that of the network, as Multus finds it for an empty definition. */
  async findConfig(name: string): Promise<string | undefined> {
    const configs = await readConfigs(this.#options.networkConfigDir);
    return configs.find(({ value }) => isJsonObject(value) && value['name'] === name)?.text;
  }

  async #readRules(): Promise<MultusRules> {
    const configs = await readConfigs(this.#options.cniConfigDir);
    const multus = configs.map(({ value }) => multusConfig.safeParse(value)).find(({ success }) => success)?.data;
    // Multus removes its file when it stops and writes it anew when it starts: meanwhile what it said last still holds.
    if (multus === undefined) return this.#rules?.value ?? noRules;
    const multusNamespace = multus.multusNamespace ?? 'kube-system';
    const defaultNetworks = multus.defaultNetworks ?? [];
    const globalNamespaces = multus.globalNamespaces ?? '';
    return {
      isNamespaceIsolated: multus.namespaceIsolation === true,
      globalNamespaces: globalNamespaces
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      defaultNetworks: new Set(
        defaultNetworks.map((name) => (name.includes('/') ? name : `${multusNamespace}/${name}`)),
      ),
    };
  }
}

const readConfigs = async (directory: string): Promise<{ text: string; value: unknown }[]> => {
  const files = await readdir(directory).catch(() => []);
  const named = files.filter((file) => /\.(conf|conflist|json)$/.test(file)).sort();
  const read = await Promise.all(named.map((file) => readConfig(join(directory, file))));
  return read.filter((config) => config !== undefined);
};

const MAX_CONFIG_BYTES = 1024 * 1024;

const readConfig = async (path: string): Promise<{ text: string; value: unknown } | undefined> => {
  try {
    if ((await stat(path)).size > MAX_CONFIG_BYTES) return undefined;
    const text = await readFile(path, 'utf8');
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined; // being written, or not for us: other files may still answer
  }
};
