// The agents as the cluster runs them: killed, taken away from the nodes, configured, waited for.
import * as z from 'zod';
import { documented } from '../../docs/known-commands.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import { agentDaemonSet, agentNamespace, agentSelector, configureAgents } from '../install-agent.ts';
import { signalProcesses } from '../node-exec.ts';
import { argsOf } from '../target.ts';
import type { FaultWorld } from './fault-world.ts';

const deadlineMs = 60_000;
const daemonSet = `daemonset/${agentDaemonSet}`;

const telemetryPort = 9464;
const readinessParts = z.record(z.string(), z.string());
type ReadinessPart = 'apiServer' | 'networks' | 'multus' | 'containerRuntime';

/** What no other process of the same program is started with. */
const agentArgument = '/agent-settings[.]yaml$';

export const makeAgents = (world: Pick<FaultWorld, 'kubectl' | 'nodeExec' | 'nodeNames'>) => {
  const kubectl = (...args: string[]): Promise<string> => world.kubectl.run(['-n', agentNamespace, ...args]);

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
    kill: async (nodes: readonly string[] = world.nodeNames): Promise<number> => {
      const killed = await Promise.all(
        nodes.map((name) => signalProcesses(world.nodeExec, name, agentArgument, 'KILL')),
      );
      return killed.reduce((sum, count) => sum + count, 0);
    },
    /** No node runs an agent until `bringBack`. */
    takeAway: async (): Promise<void> => {
      await world.kubectl.run(argsOf(documented.takeAgentsAway));
      await kubectl('wait', 'pod', '-l', agentSelector, '--for=delete', `--timeout=${deadlineMs / 1000}s`);
    },
    bringBack: async (): Promise<void> => {
      await patch({ nodeSelector: { away: null } });
      await areRolledOut();
      await areReady();
    },
    configure: (name: string, value: string | undefined): Promise<void> => configureAgents(world.kubectl, name, value),
    /**
     * What the agent on a node says of its own readiness, without the kubelet's patience in between. Made while the API server
     * answers; may be asked while it does not.
     */
    readinessOn: async (node: string) => {
      const path = `jsonpath={.items[?(@.spec.nodeName=="${node}")].status.podIP}`;
      const url = `http://${await kubectl('get', 'pods', '-l', agentSelector, '-o', path)}:${telemetryPort}/readyz`;
      const becomes = (what: string, isIt: (code: string, parts: Readonly<Record<string, string>>) => boolean) =>
        pollUntil(
          `the agent on ${node} to ${what}`,
          async () => {
            const answer = await world.nodeExec(node, ['curl', '-sS', '-w', '\n%{http_code}', url]);
            const [parts = '{}', code = ''] = answer.split(/\n(?=\d+$)/);
            if (isIt(code, readinessParts.parse(JSON.parse(parts)))) return true;
            throw new Error(`it says ${answer}`);
          },
          { deadlineMs },
        );
      return {
        isWell: () => becomes('be ready', (code) => code === '200'),
        /** Exactly these parts are down, or too slow to tell. */
        blames: (...down: readonly ReadinessPart[]) =>
          becomes(`blame ${down.join(', ')}`, (code, parts) => {
            const unwell = Object.keys(parts).filter((part) => parts[part] !== 'ok');
            return code === '503' && unwell.sort().join() === down.toSorted().join();
          }),
      };
    },
    logs: (...flags: string[]): Promise<string> =>
      kubectl('logs', `--selector=${agentSelector}`, '--tail=-1', ...flags),
  };
};

export type Agents = ReturnType<typeof makeAgents>;
