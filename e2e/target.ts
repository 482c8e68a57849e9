// What the suite runs against, as plain data that vitest hands from the global setup to each test file.
// E2E_KUBECONFIG names any cluster with Multus and whereabouts; else it is one of the harness in e2e/cluster, whose nodes
// are containers, so that tests can reach into them.
import { splitWords } from '../src/embedded/demo/words.ts';
import type { ClusterState } from './cluster/cluster-state.ts';
import { type CommandResult, runCommand, tryCommand } from './cluster/run-command.ts';

export type Target = {
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** A proxy to the API server, where the cluster is not of the harness. */
  readonly apiUrl?: string;
  /** Busybox, or anything with a shell, `ip`, `ping` and `sleep`. */
  readonly podImage: string;
  readonly nodeNames: readonly string[];
  /** Only where nodes are containers of the harness. */
  readonly clusterState?: ClusterState;
  /** Whether this machine can build what stories bring along: programs in Go, and images. */
  readonly canBuild: boolean;
  /** Whether the cluster is without a KubeVirt of its own, whose virt-controller would be in the way. */
  readonly canHaveKubeVirt: boolean;
};

declare module 'vitest' {
  interface ProvidedContext {
    target: Target;
  }
}

/** On the namespaces of all stories. */
export const storyLabels = { 'dynamic-networks.io/e2e': 'story' } as const;

/** Of a command as the documentation has it. */
export const argsOf = (command: `kubectl ${string}`): readonly string[] => {
  const words = splitWords(command);
  if (words === undefined) throw new TypeError(`command: expected quotes that are closed, got ${command}`);
  return words.slice(1);
};

export type Kubectl = ReturnType<typeof makeKubectl>;

export const makeKubectl = ({ kubectlPath, kubeconfigPath }: Pick<Target, 'kubectlPath' | 'kubeconfigPath'>) => {
  const command = (args: readonly string[]) => [kubectlPath, '--kubeconfig', kubeconfigPath, ...args];
  const run = (args: readonly string[], stdin?: string): Promise<string> =>
    runCommand(command(args), stdin === undefined ? {} : { stdin });
  return {
    command,
    run,
    try: (args: readonly string[]): Promise<CommandResult> => tryCommand(command(args)),
    apply: (manifest: object): Promise<string> => run(['apply', '--filename', '-'], JSON.stringify(manifest)),
    getJson: async <T>(args: readonly string[]): Promise<T> => {
      const value: T = JSON.parse(await run(['get', ...args, '--output', 'json']));
      return value;
    },
  };
};
