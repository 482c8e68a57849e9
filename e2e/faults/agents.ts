// The agents as the cluster runs them: killed, taken away from the nodes, configured, waited for.
import { pollUntil } from '../cluster/poll-until.ts';
import type { StartedCluster } from '../cluster/started-cluster.ts';
import { agentDaemonSet, agentNamespace } from '../install-agent.ts';

const deadlineMs = 60_000;
const daemonSet = `daemonset/${agentDaemonSet}`;

export const makeAgents = (cluster: StartedCluster) => {
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(['-n', agentNamespace, ...args]);

  const areRolledOut = async (): Promise<void> => {
    await kubectl('rollout', 'status', daemonSet, `--timeout=${deadlineMs / 1000}s`);
  };

  /** Also when what they need was down a moment ago and the DaemonSet does not know yet. */
  const areReady = (): Promise<true> =>
    pollUntil(
      'every agent to be ready',
      async () => {
        const path = '{.status.desiredNumberScheduled} {.status.numberReady} {.status.observedGeneration}';
        const [desired, ready] = (await kubectl('get', daemonSet, '-o', `jsonpath=${path}`)).split(' ');
        return desired === ready && desired !== '0' ? true : undefined;
      },
      { deadlineMs },
    );

  const patch = (spec: object): Promise<string> =>
    kubectl('patch', daemonSet, '--type=merge', '--patch', JSON.stringify({ spec: { template: { spec } } }));

  return {
    areRolledOut,
    areReady,
    /** SIGKILL to the agent's process on each named node; returns how many died. */
    kill: async (nodes: readonly string[] = cluster.nodes.map(({ name }) => name)): Promise<number> => {
      const killed = await Promise.all(nodes.map((name) => cluster.node(name).signalContainers('agent', 'SIGKILL')));
      return killed.reduce((sum, count) => sum + count, 0);
    },
    /** No node runs an agent until `bringBack`. */
    takeAway: async (): Promise<void> => {
      await patch({ nodeSelector: { 'faults-test/nowhere': 'true' } });
      await kubectl('wait', 'pod', '--all', '--for=delete', `--timeout=${deadlineMs / 1000}s`);
    },
    bringBack: async (): Promise<void> => {
      await patch({ nodeSelector: { 'faults-test/nowhere': null } });
      await areRolledOut();
      await areReady();
    },
    /** An environment variable of every agent, all at once; `undefined` takes it back. */
    configure: async (name: string, value: string | undefined): Promise<void> => {
      const strategy = { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } } };
      await kubectl('patch', daemonSet, '--type=merge', '--patch', JSON.stringify(strategy));
      await kubectl('set', 'env', daemonSet, value === undefined ? `${name}-` : `${name}=${value}`);
      await areRolledOut();
    },
    logs: (...flags: string[]): Promise<string> =>
      kubectl('logs', '--selector=app.kubernetes.io/component=agent', '--tail=-1', ...flags),
  };
};

export type Agents = ReturnType<typeof makeAgents>;
