// What one run of a command has: the cluster, the flags that every command takes, and the terminal.
import type { ApiClient } from '../kube/api-client.ts';
import type { Terminal } from './render/terminal.ts';

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml';

export interface Session {
  readonly client: ApiClient;
  /** Of the flag, else of the kubeconfig's context, else `default`. */
  readonly namespace: string;
  readonly isNamespaceGiven: boolean;
  readonly isAllNamespaces: boolean;
  /** Of the kubeconfig: how the person calls this cluster. */
  readonly contextName: string;
  readonly output: OutputFormat;
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Where to list: undefined means all namespaces. */
export const scopeOf = ({ namespace, isAllNamespaces }: Session): string | undefined =>
  isAllNamespaces ? undefined : namespace;
