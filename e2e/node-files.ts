// Reads files of nodes: in the harness by a command in the node's container, elsewhere by a helper pod on each node that
// mounts the node's /var/lib at the same path. Either way the same command gives the same answer.
import { type ClusterNode, makeNode } from './cluster/node.ts';
import { pollUntil } from './cluster/poll-until.ts';
import { findRuntime } from './cluster/started-cluster.ts';
import { type Kubectl, makeKubectl, type Target } from './target.ts';

const namespace = 'dynamic-networks-e2e';
const helper = 'node-files';
const labels = { 'app.kubernetes.io/name': helper };

/** Runs a command on the node and returns its output; it may only rely on busybox and on /var/lib. */
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
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image,
            imagePullPolicy: 'IfNotPresent',
            command: ['sleep', 'infinity'],
            // Where SELinux is on, only a privileged container may read the node's files.
            securityContext: { privileged: true },
            volumeMounts: [{ name: 'state', mountPath: '/var/lib', readOnly: true }],
          },
        ],
        volumes: [{ name: 'state', hostPath: { path: '/var/lib', type: 'Directory' } }],
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

const execInHelper = (kubectl: Kubectl): NodeExec => {
  let helpers: ReadonlyMap<string, string> = new Map();
  return async (nodeName, command) => {
    if (!helpers.has(nodeName)) helpers = await findHelpers(kubectl);
    const pod = helpers.get(nodeName);
    if (pod === undefined) throw new Error(`no helper pod on node ${nodeName}`);
    return kubectl.run(['-n', namespace, 'exec', pod, '--', ...command]);
  };
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
