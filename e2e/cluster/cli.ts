// `npm run cluster check|up|down|env|kubeconfig|logs`: the same cluster as the tests', for a person to play with.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { startCluster } from './cluster.ts';
import { type ClusterState, findState, listClusters } from './cluster-state.ts';
import { checkDockerAndMachine } from './docker-daemon.ts';
import { onInterrupt } from './interrupt.ts';
import { say } from './progress.ts';
import { shellQuote } from './shell-quote.ts';
import { attachCluster, removeClusterByName } from './started-cluster.ts';

const defaultName = 'play';

/** A folder per collection: old logs never mix with new ones. */
const freshLogsDir = (): string => {
  const now = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return resolve(import.meta.dirname, '..', 'artifacts', `logs-${now}`);
};

const getState = async (name: string): Promise<ClusterState> => {
  const state = await findState(name);
  if (state !== undefined) return state;
  const others = await listClusters();
  const hint = others.length > 0 ? `known clusters: ${others.join(', ')}` : 'start one with: npm run cluster up';
  throw new Error(`no cluster ${name}; ${hint}`);
};

/** For a shell: kubectl of the cluster's version, and where it finds the cluster. */
const exportsOf = ({ kubeconfigPath, kubectlPath }: ClusterState): string =>
  [
    `export KUBECONFIG=${shellQuote(kubeconfigPath)}`,
    `export PATH=${shellQuote(resolve(kubectlPath, '..'))}:"$PATH"`,
    '',
  ].join('\n');

type UpOptions = { readonly name: string; readonly keep: boolean; readonly kubevirt: boolean; readonly helm: boolean };

const up = async ({ name, keep, kubevirt, helm }: UpOptions): Promise<void> => {
  const forget = onInterrupt(() => removeClusterByName(name));
  const cluster = await startCluster({ name, failureLogsDir: freshLogsDir(), keepOnFailure: keep, kubevirt, helm });
  forget();
  say('ready; try:');
  process.stdout.write(`${exportsOf(cluster.state)}kubectl get pods --all-namespaces --output wide\n`);
};

/** What `up` would say before it starts anything. */
const check = async (): Promise<void> => {
  await checkDockerAndMachine();
  say('this machine can run the cluster');
};

const down = ({ name }: { name: string }): Promise<void> => removeClusterByName(name);

const env = async ({ name }: { name: string }): Promise<void> => {
  process.stdout.write(exportsOf(await getState(name)));
};

const kubeconfig = async ({ name }: { name: string }): Promise<void> => {
  process.stdout.write(`${(await getState(name)).kubeconfigPath}\n`);
};

const logs = async (dir: string | undefined, { name }: { name: string }): Promise<void> => {
  const target = dir === undefined ? freshLogsDir() : resolve(dir);
  await (await attachCluster(await getState(name))).collectLogs(target);
  process.stdout.write(`${target}\n`);
};

const program = new Command('npm run cluster')
  .description(
    'A two-node Kubernetes cluster in containers, with Multus and whereabouts. Needs Docker, or root to start one.',
  )
  .addHelpText(
    'after',
    `
Environment:
  DYNAMIC_NETWORKS_CACHE          folder for built programs and images (else $XDG_CACHE_HOME or ~/.cache)
  DYNAMIC_NETWORKS_NODE_BASE      base image of the nodes, or "debootstrap" (else: pull one, and fall back to debootstrap)
  DYNAMIC_NETWORKS_DEBIAN_MIRROR  mirror for debootstrap (else the one that this machine's apt sources name)`,
  );

const nameOption = ['--name <name>', 'name of the cluster', defaultName] as const;
program
  .command('up')
  .description('start it')
  .option(...nameOption)
  .option('--kubevirt', 'with the real virt-controller of KubeVirt', false)
  .option('--helm', 'build Helm and krew meanwhile, for the tests that need them', false)
  .option('--keep', 'leave it as it is if the start fails', false)
  .action(up);
program.command('check').description('say what this machine lacks for it, and how to get that').action(check);
program
  .command('down')
  .description('stop it, and the Docker daemon if we started one')
  .option(...nameOption)
  .action(down);
program
  .command('env')
  .description('print what lets kubectl find it: eval "$(npm run --silent cluster env)"')
  .option(...nameOption)
  .action(env);
program
  .command('kubeconfig')
  .description('print the path of its kubeconfig')
  .option(...nameOption)
  .action(kubeconfig);
program
  .command('logs')
  .description('collect the logs of every component into a folder')
  .argument('[dir]', 'folder (default: a new one under e2e/artifacts)')
  .option(...nameOption)
  .action(logs);

try {
  await program.parseAsync();
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `\n  because: ${error.cause.message}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${cause}\n`);
  process.exitCode = 1;
}
