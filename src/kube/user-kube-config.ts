// The kubeconfig of a person, found and merged as kubectl does it: the flag, else every file of $KUBECONFIG, else
// ~/.kube/config. Of two files that say the same name, the first one counts; files of the list that do not exist are skipped.
// client-node's own merge refuses names that occur twice and takes the last current-context.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';

export interface UserConfigOptions {
  /** --kubeconfig */
  readonly path?: string | undefined;
  /** --context */
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws an Error that says what to do when there is no usable one. */
export const loadUserKubeConfig = ({ path, context, env }: UserConfigOptions): KubeConfig => {
  const files = path === undefined ? filesOf(env) : [path];
  const present = path === undefined ? files.filter((file) => existsSync(file)) : files;
  if (present.length === 0) {
    throw new Error(`no kubeconfig: ${files.join(', ')} does not exist; set KUBECONFIG, or give --kubeconfig`);
  }
  const config = merge(present.map(loadFile));
  if (context !== undefined) config.setCurrentContext(context);
  check(config);
  return config;
};

/** The namespace that the context names, for commands without -n. */
export const defaultNamespace = (config: KubeConfig): string =>
  config.getContextObject(config.getCurrentContext())?.namespace || 'default';

const filesOf = (env: UserConfigOptions['env']): string[] => {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  return listed.length > 0 ? listed : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
};

const loadFile = (file: string): KubeConfig => {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new Error(`kubeconfig ${file} cannot be read: ${detail}`, { cause: error });
  }
  return config;
};

const merge = (configs: readonly KubeConfig[]): KubeConfig => {
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firstOfName(configs.flatMap((config) => config.getClusters() ?? [])),
    users: firstOfName(configs.flatMap((config) => config.getUsers() ?? [])),
    contexts: firstOfName(configs.flatMap((config) => config.getContexts() ?? [])),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean) ?? '',
  });
  return merged;
};

const firstOfName = <T extends { readonly name: string }>(items: readonly T[]): T[] =>
  [...new Map(items.toReversed().map((item) => [item.name, item])).values()].reverse();

const check = (config: KubeConfig): void => {
  const current = config.getCurrentContext();
  const known = config.getContexts().map(({ name }) => name);
  const hint = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  if (!current) throw new Error(`the kubeconfig has no current context (${hint}); choose one with --context`);
  if (!known.includes(current)) throw new Error(`the kubeconfig has no context "${current}" (${hint})`);
  if (!config.getCurrentCluster())
    throw new Error(`the context "${current}" names a cluster that the kubeconfig lacks`);
};
