// Runs commands on nodes, to look at their files and at pods' network namespaces: in the harness in the node's container,
// elsewhere through a helper pod on each node, which enters the node's own file system. Either way the same command gives
// the same answer.
import { type ClusterNode, makeNode } from './cluster/node.ts';
import { pollUntil } from './cluster/poll-until.ts';
import { runCommand } from './cluster/run-command.ts';
import { findRuntime } from './cluster/started-cluster.ts';
import { type Kubectl, makeKubectl, type Target } from './target.ts';

const namespace = 'dynamic-networks-e2e';
const helper = 'node-helper';
const labels = { 'app.kubernetes.io/name': helper };

/** Runs a command on the node, with the node's own programs, and returns its output. */
export type NodeExec = (nodeName: string, command: readonly string[]) => Promise<string>;

const helperManifest = (image: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: helper, namespace },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        automountServiceAccountToken: false,
        hostPID: true,
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image,
            imagePullPolicy: 'IfNotPresent',
            command: ['sleep', 'infinity'],
            securityContext: { privileged: true },
          },
        ],
      },
    },
  },
});

const namespaceManifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
};

export const installNodeHelpers = async (kubectl: Kubectl, image: string): Promise<void> => {
  await kubectl.apply(namespaceManifest);
  await kubectl.apply(helperManifest(image));
  await kubectl.run(['-n', namespace, 'rollout', 'status', `daemonset/${helper}`, '--timeout=120s']);
};

export const removeNodeHelpers = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.run(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=60s']);
};

const findHelpers = async (kubectl: Kubectl): Promise<ReadonlyMap<string, string>> => {
  const { items } = await kubectl.getJson<{ items: { metadata: { name: string }; spec: { nodeName: string } }[] }>([
    ...['-n', namespace, 'pods', '-l', `app.kubernetes.io/name=${helper}`],
  ]);
  return new Map(items.map(({ metadata, spec }) => [spec.nodeName, metadata.name]));
};

/**
 * The first process of the node is in the node's own mount namespace. Busybox prefers its own programs to the node's unless a path is
 * given; the node's shell does not, but has the container's PATH.
 */
const onNodeScript = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH; exec "$@"';

const throughHelper = (kubectl: Kubectl, pod: string, ...flags: readonly string[]): readonly string[] => [
  ...kubectl.command(['-n', namespace, 'exec', ...flags, pod, '--']),
  ...['nsenter', '-t', '1', '-m', '--', '/bin/sh', '-c', onNodeScript, 'sh'],
];

const helperOn = (helpers: ReadonlyMap<string, string>, nodeName: string): string => {
  const pod = helpers.get(nodeName);
  if (pod === undefined) throw new Error(`no helper pod on node ${nodeName}`);
  return pod;
};

const execInHelper = (kubectl: Kubectl): NodeExec => {
  let helpers: ReadonlyMap<string, string> = new Map();
  return async (nodeName, command) => {
    if (!helpers.has(nodeName)) helpers = await findHelpers(kubectl);
    return runCommand([...throughHelper(kubectl, helperOn(helpers, nodeName)), ...command]);
  };
};

/** What stands before a command of this machine, so that it is one of the node, with its input. */
export const commandPrefix = async (target: Target, nodeName: string): Promise<readonly string[]> => {
  const node = target.clusterState?.nodes.find(({ name }) => name === nodeName);
  if (node !== undefined) return ['docker', 'exec', '-i', node.containerId];
  const kubectl = makeKubectl(target);
  return throughHelper(kubectl, helperOn(await findHelpers(kubectl), nodeName), '-i');
};

/** Nodes as containers of the harness; empty when the cluster is somebody else's. */
export const attachNodes = async (target: Target): Promise<readonly ClusterNode[]> => {
  if (target.clusterState === undefined) return [];
  const client = await pollUntil('Docker to answer', findRuntime, { deadlineMs: 10_000 });
  return target.clusterState.nodes.map(({ name, containerId, ip }) => makeNode(client, name, containerId, ip));
};

export const makeNodeExec = (target: Target, nodes: readonly ClusterNode[]): NodeExec => {
  if (target.clusterState === undefined) return execInHelper(makeKubectl(target));
  return async (nodeName, command) => {
    const node = nodes.find(({ name }) => name === nodeName);
    if (node === undefined) throw new Error(`no node ${nodeName} in the cluster of the harness`);
    return node.run(command);
  };
};

/** An argument of the process matches, so that neither this script nor the pattern's own text does. */
const signalScript = `
count=0
for file in $(grep -lz -- "$1" /proc/[0-9]*/cmdline 2>/dev/null); do
  pid=\${file#/proc/}
  kill -"$2" "\${pid%/cmdline}" && count=$((count + 1))
done
echo "$count"`;

/** Signals every process on the node with an argument like the pattern, which ends in `$`; returns how many there were. */
export const signalProcesses = async (
  nodeExec: NodeExec,
  node: string,
  pattern: `${string}$`,
  signal: 'KILL' | 'STOP' | 'CONT',
): Promise<number> => Number(await nodeExec(node, ['sh', '-c', signalScript, 'sh', pattern, signal]));
