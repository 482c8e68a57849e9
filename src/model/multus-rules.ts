// What the node's Multus configuration says about networks: which a pod may use, and which every pod gets unasked.
import { type NetworkName, splitName } from './keys.ts';

export interface MultusRules {
  readonly isNamespaceIsolated: boolean;
  /** Namespaces whose networks every pod may use. Multus' own default, when none is named, is `default`. */
  readonly globalNamespaces: readonly string[];
  /** Networks that Multus attaches to every pod besides the default one: nobody's annotation lists them. */
  readonly defaultNetworks: ReadonlySet<string>;
}

/** Why a pod may not use a network, or undefined when it may. */
export const isolationProblem = (
  rules: MultusRules,
  podNamespace: string,
  network: NetworkName,
): string | undefined => {
  const namespace = splitName(network)?.namespace ?? '';
  const globals = rules.globalNamespaces.length > 0 ? rules.globalNamespaces : ['default'];
  if (!rules.isNamespaceIsolated || namespace === podNamespace || globals.includes(namespace)) return undefined;
  return `network ${network} is in another namespace, and this node's Multus isolates namespaces (namespaceIsolation); use a network of ${podNamespace}, or one of ${globals.join(', ')}`;
};
