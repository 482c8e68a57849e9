// What the node's Multus configuration says about networks: which a pod may use, and which every pod gets unasked.
import { type NetworkName, splitName } from './keys.ts';

export interface MultusRules {
  readonly isNamespaceIsolated: boolean;
  /** Namespaces whose networks every pod may use. Multus' own default, when none is named, is `default`. */
  readonly globalNamespaces: readonly string[];
  /** Networks that Multus attaches to every pod besides the default one: nobody's annotation lists them. */
  readonly defaultNetworks: ReadonlySet<string>;
  /** Multus' configuration was never seen on this node: nobody can tell whether it isolates namespaces. */
  readonly isUnknown?: true;
}

/** Until something is known: what no rule could forbid is allowed, the rest waits. */
export const unknownRules: MultusRules = {
  isNamespaceIsolated: true,
  globalNamespaces: [],
  defaultNetworks: new Set(),
  isUnknown: true,
};

/** Why a pod may not use a network, or undefined when it may. */
export const isolationProblem = (
  rules: MultusRules,
  podNamespace: string,
  network: NetworkName,
): string | undefined => {
  const namespace = splitName(network)?.namespace ?? '';
  if (!rules.isNamespaceIsolated || namespace === podNamespace) return undefined;
  if (rules.isUnknown === true) {
    return `network ${network} is in another namespace, and whether this node's Multus isolates namespaces is not known, because its configuration was never seen; it is plugged once that is known: see to it that Multus runs and that cniConfigDir is where its configuration is, or set namespaceIsolation`;
  }
  const globals = rules.globalNamespaces.length > 0 ? rules.globalNamespaces : ['default'];
  if (globals.includes(namespace)) return undefined;
  return `network ${network} is in another namespace, and namespaces are isolated from each other (namespaceIsolation); use a network of ${podNamespace}, or one of ${globals.join(', ')}`;
};

/** Order and repetition mean nothing. */
export const isSameRules = (a: MultusRules, b: MultusRules): boolean =>
  a.isNamespaceIsolated === b.isNamespaceIsolated &&
  a.isUnknown === b.isUnknown &&
  isSameSet(new Set(a.globalNamespaces), new Set(b.globalNamespaces)) &&
  isSameSet(a.defaultNetworks, b.defaultNetworks);

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));
