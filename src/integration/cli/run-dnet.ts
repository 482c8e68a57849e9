// Runs kubectl-dnet as its composition root does, with the embedded cluster's kubeconfig, and keeps what it said.
import { runCli } from '../../cli/program.ts';
import type { World } from '../harness.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  readonly isTerminal?: boolean;
}

export const runDnet = async (
  world: { readonly cluster: Pick<World['cluster'], 'kubeconfigPath' | 'dir'> },
  args: readonly string[],
  { env = {}, now, signal, isTerminal = false }: RunOptions = {},
): Promise<Said> => {
  let [out, err] = ['', ''];
  const code = await runCli({
    args,
    env: { KUBECONFIG: world.cluster.kubeconfigPath, HOME: world.cluster.dir, ...env },
    stdout: { isTTY: isTerminal, write: (text) => (out += text) },
    stderr: { isTTY: isTerminal, write: (text) => (err += text) },
    signal: signal ?? new AbortController().signal,
    version: '0.0.0-test',
    ...(now && { now }),
  });
  return { code, out, err };
};

export const longestLine = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

/** Lines without the spaces at their start that a template text in a test has. */
export const text = (indented: string): string => {
  const lines = indented.replace(/^\n/, '').replace(/\n *$/, '\n').split('\n');
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
};
