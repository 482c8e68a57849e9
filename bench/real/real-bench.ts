// The real cluster of a run: one of our own that goes with the run, or one that runs already and stays; the agent installed on
// it as users install it; and the worlds to measure in. Our agent is on no node except while a scenario wants it.
import { resolve } from 'node:path';
import { loadAgentImage } from '../../e2e/agent-image.ts';
import { startCluster } from '../../e2e/cluster/cluster.ts';
import { findState } from '../../e2e/cluster/cluster-state.ts';
import { busyboxImage } from '../../e2e/cluster/images.ts';
import { onInterrupt } from '../../e2e/cluster/interrupt.ts';
import { inNode } from '../../e2e/cluster/layout.ts';
import { runCommand } from '../../e2e/cluster/run-command.ts';
import { attachCluster, removeClusterByName, type StartedCluster } from '../../e2e/cluster/started-cluster.ts';
import { makeAgents } from '../../e2e/faults/agents.ts';
import { lookAtNode } from '../../e2e/faults/node-snapshot.ts';
import { installAgent } from '../../e2e/install-agent.ts';
import { makeKubectl } from '../../e2e/target.ts';
import { ApiClient } from '../../src/kube/api-client.ts';
import { loadKubeConfig } from '../../src/kube/load-kube-config.ts';
import type { BenchWorld } from '../world.ts';
import { openNamespace } from './bench-namespace.ts';
import { openClusterCpu } from './cluster-cpu.ts';
import { makeInstalledAgent } from './installed-agent.ts';
import { openNodeFloor } from './node-floor.ts';
import { dedicateProcessors } from './own-processors.ts';
import { makeRealWorld } from './real-world.ts';
import { makeReferenceController } from './reference-controller.ts';

export interface RealBenchOptions {
  /** A running cluster of the harness; undefined starts one. */
  readonly cluster?: string;
  /** How to start another controller. */
  readonly reference?: string;
  /** The node with the pods shares no processor with the control plane and the bench. */
  readonly hasOwnProcessors: boolean;
}

const ownName = 'bench-real';
const nodeName = 'worker';
const requestTimeoutMs = 30_000;
const artifactsDir = resolve(import.meta.dirname, '../../e2e/artifacts');
const logsDir = (): string => resolve(artifactsDir, `logs-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);

const attachByName = async (name: string): Promise<StartedCluster> => {
  const state = await findState(name);
  if (state === undefined)
    throw new Error(`--cluster: no cluster ${name}; start it with npm run cluster -- up --name ${name}`);
  return attachCluster(state);
};

/** Where everything is that a controller needs, as seen from this machine: the node is a container on it. */
const referenceEnv = async ({ state, node }: StartedCluster): Promise<Record<string, string>> => {
  const { containerId, ip } = node(nodeName);
  const pid = (await runCommand(['docker', 'inspect', '--format', '{{.State.Pid}}', containerId])).trim();
  const root = `/proc/${pid}/root`;
  return {
    KUBECONFIG: state.kubeconfigPath,
    NODE_NAME: nodeName,
    NODE_IP: ip,
    NODE_CONTAINER: containerId,
    NODE_ROOT: root,
    CRI_SOCKET: `${root}${inNode.containerdSocket}`,
    MULTUS_SOCKET: `${root}${inNode.multusSocket}`,
  };
};

export type RealBench = Awaited<ReturnType<typeof openRealBench>>;

export const openRealBench = async ({ cluster: name, reference, hasOwnProcessors }: RealBenchOptions) => {
  const undo: (() => Promise<void>)[] = [];
  /** A step that fails does not keep the others from being done. */
  const leave = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) {
      await step().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  };
  const forget = onInterrupt(name === undefined ? () => removeClusterByName(ownName) : leave);
  const cluster =
    name === undefined ? await startCluster({ name: ownName, failureLogsDir: logsDir() }) : await attachByName(name);

  const close = async ({ hasFailed }: { readonly hasFailed: boolean }): Promise<void> => {
    if (hasFailed && name === undefined) await cluster.collectLogs(logsDir());
    await leave();
    if (name === undefined) await cluster.stop();
    forget();
  };

  try {
    const processors = hasOwnProcessors ? await dedicateProcessors(cluster, nodeName) : undefined;
    if (processors !== undefined) undo.push(processors.giveBack);
    const kubectl = makeKubectl(cluster.state);
    const node = cluster.node(nodeName);
    const nodeExec = (name: string, command: readonly string[]): Promise<string> => cluster.node(name).run(command);
    const agents = makeAgents({ kubectl, nodeExec, nodeNames: cluster.nodes.map(({ name: each }) => each) });
    const image = await loadAgentImage(cluster);
    const overlayDir = resolve(artifactsDir, 'bench-install');
    await installAgent(kubectl, { image, overlayDir, settings: {}, patches: [] });
    // A cluster that stays keeps its agent.
    if (name !== undefined) undo.push(() => agents.bringBack());
    await agents.takeAway();
    const client = new ApiClient(loadKubeConfig(cluster.kubeconfigPath), {
      userAgent: 'dynamic-networks-bench',
      requestTimeoutMs,
    });
    undo.push(async () => client.close());
    const clusterCpuMs = await openClusterCpu(cluster.nodes.map(({ containerId }) => containerId));
    const floorOptions = { clusterName: cluster.name, node, clusterCpuMs };
    const floor = await openNodeFloor({ ...floorOptions, ...(processors && { processors: processors.node }) });
    undo.push(() => floor.close());
    const bench = await openNamespace({ kubectl, client, podImage: busyboxImage, nodeName });
    undo.push(() => bench.close());

    const agent = makeInstalledAgent({ client, agents, node });
    const ownOnes =
      processors && ` with processors of its own (${processors.node}; the others have ${processors.others})`;
    const description = `real cluster, Kubernetes and Multus as e2e/cluster has them, pods on one node${ownOnes ?? ''}, agent ${image}`;
    const look = () => lookAtNode(nodeExec, nodeName, bench.namespace);
    const world = { description, look, bench, floor, clusterCpuMs };
    return {
      description,
      agent,
      bench,
      startWorld: async (): Promise<BenchWorld> => makeRealWorld({ ...world, controller: agent }),
      startReferenceWorld: async (): Promise<BenchWorld> => {
        if (reference === undefined) throw new Error('there is no reference');
        const command = processors ? `taskset -cp ${processors.node} $$ >/dev/null || exit\n${reference}` : reference;
        const controller = makeReferenceController({ command, env: await referenceEnv(cluster) });
        return makeRealWorld({ ...world, controller });
      },
      close,
    };
  } catch (error) {
    await close({ hasFailed: true });
    throw error;
  }
};
