// From flags and environment to a session.
import { ApiClient } from '../kube/api-client.ts';
import { userAgentOf } from '../kube/user-agent.ts';
import { defaultNamespace, loadUserKubeConfig } from '../kube/user-kube-config.ts';
import { CliError, UsageError } from './cli-error.ts';
import type { Stream, Terminal } from './render/terminal.ts';
import type { OutputFormat, Session } from './session.ts';
import type { UiAssets } from './ui/ui-server.ts';

export interface Run {
  /** Without the interpreter and the file. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly signal: AbortSignal;
  readonly version: string;
  readonly now?: () => number;
  readonly uiAssets?: UiAssets | undefined;
}

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output: string;
}

const REQUEST_TIMEOUT_MS = 30_000;
const FORMATS: readonly OutputFormat[] = ['table', 'wide', 'json', 'yaml'];

export const makeSession = (
  run: Run,
  terminal: Terminal,
  flags: GlobalFlags,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): Session => {
  const output = FORMATS.find((format) => format === flags.output);
  if (output === undefined) throw new UsageError(`--output "${flags.output}" must be one of ${FORMATS.join(', ')}`);
  const config = loadConfig(run, flags);
  return {
    client: new ApiClient(config, { userAgent: userAgentOf('kubectl-dnet'), requestTimeoutMs }),
    namespace: flags.namespace ?? defaultNamespace(config),
    isNamespaceGiven: flags.namespace !== undefined,
    contextName: config.getCurrentContext(),
    isAllNamespaces: flags.allNamespaces === true,
    output,
    terminal,
    now: run.now ?? Date.now,
    signal: run.signal,
  };
};

export const loadConfig = ({ env }: Run, { kubeconfig, context }: GlobalFlags) => {
  try {
    return loadUserKubeConfig({ path: kubeconfig, context, env });
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
};
