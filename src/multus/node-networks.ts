// What only the node's own CNI configuration tells: Multus' namespace isolation, which it does not enforce on /delegate,
// the networks it attaches to every pod unasked, and configs of networks whose NetworkAttachmentDefinition is empty. Promises:
// - rules() are at most two seconds old; what Multus said last holds while its file is absent or half-written, also over a
//   restart of the agent, if there is a memory;
// - onChange is called once for every change, whoever noticed it.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isJsonObject } from '../model/json.ts';
import { isSameRules, type MultusRules, unknownRules } from '../model/multus-rules.ts';

export interface NodeNetworksOptions {
  /** Where Multus' own config is: 00-multus.conf in the runtime's CNI directory. */
  readonly cniConfigDir: string;
  /** Where configs of empty NetworkAttachmentDefinitions are. */
  readonly networkConfigDir: string;
  /** What was known before the agent was started, and where to keep what is known now. */
  readonly memory?: RulesMemory;
  readonly onChange?: () => void;
  /** The memory cannot be written: an agent that starts while Multus is down will know older rules. */
  readonly onForgetful?: (error: unknown) => void;
  readonly now?: () => number;
}

export interface RulesMemory {
  load(): Promise<MultusRules | undefined>;
  save(rules: MultusRules): Promise<void>;
}

const REREAD_MS = 2000;

const multusConfig = z.object({
  type: z.enum(['multus', 'multus-shim']),
  namespaceIsolation: z.optional(z.nullable(z.boolean())),
  globalNamespaces: z.optional(z.nullable(z.string())),
  defaultNetworks: z.optional(z.nullable(z.array(z.string()))),
  multusNamespace: z.optional(z.nullable(z.string())),
});

type MultusConfig = z.infer<typeof multusConfig>;

export class NodeNetworks {
  readonly #options: NodeNetworksOptions;
  readonly #now: () => number;
  /** What holds now; undefined before the first look. */
  #rules: MultusRules | undefined;
  #readAtMs = 0;
  /** One look at a time: two would tell of one change twice. */
  #look: Promise<MultusRules> | undefined;

  constructor(options: NodeNetworksOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async rules(): Promise<MultusRules> {
    const isFresh = this.#rules !== undefined && this.#now() - this.#readAtMs < REREAD_MS;
    return isFresh && this.#rules !== undefined ? this.#rules : await this.look();
  }

  /** Reads the configuration now: a few small files. */
  look(): Promise<MultusRules> {
    this.#look ??= this.#readRules().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  /** The config file on this node whose `name` is that of the network, as Multus finds it for an empty definition. */
  async findConfig(name: string): Promise<string | undefined> {
    const configs = await readConfigs(this.#options.networkConfigDir);
    return configs.find(({ value }) => isJsonObject(value) && value['name'] === name)?.text;
  }

  async #readRules(): Promise<MultusRules> {
    const { cniConfigDir, memory, onChange } = this.#options;
    const before = this.#rules ?? (await memory?.load()) ?? unknownRules;
    const multus = (await readConfigs(cniConfigDir)).map(({ value }) => findMultusConfig(value)).find(Boolean);
    // Multus removes its file when it stops and writes it anew when it starts: meanwhile what it said last still holds.
    const rules = multus === undefined ? before : rulesOf(multus);
    const isFirst = this.#rules === undefined;
    const isNews = !isSameRules(rules, before);
    this.#rules = rules;
    this.#readAtMs = this.#now();
    if (isNews) await memory?.save(rules).catch((error: unknown) => this.#options.onForgetful?.(error));
    if (isNews && !isFirst) onChange?.();
    return rules;
  }
}

/** Multus' own config, also as a plugin of a list. */
const findMultusConfig = (value: unknown): MultusConfig | undefined => {
  const plugins = isJsonObject(value) && Array.isArray(value['plugins']) ? value['plugins'] : [];
  return [value, ...plugins].map((one) => multusConfig.safeParse(one)).find(({ success }) => success)?.data;
};

const rulesOf = (multus: MultusConfig): MultusRules => {
  const multusNamespace = multus.multusNamespace ?? 'kube-system';
  const defaultNetworks = multus.defaultNetworks ?? [];
  const globalNamespaces = multus.globalNamespaces ?? '';
  return {
    isNamespaceIsolated: multus.namespaceIsolation === true,
    globalNamespaces: globalNamespaces
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    defaultNetworks: new Set(defaultNetworks.map((name) => (name.includes('/') ? name : `${multusNamespace}/${name}`))),
  };
};

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
