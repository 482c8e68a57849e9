// The replicas of the controller: how many there are, which, and when all of them are ready.
import { pollUntil } from './cluster/poll-until.ts';
import { agentNamespace, controllerDeployment } from './install-agent.ts';
import { type Pod, type PodRef, refOf } from './pods.ts';
import type { Kubectl } from './target.ts';

const deadlineMs = 120_000;
const deployment = `deployment/${controllerDeployment}`;

export const controllersReady = async (kubectl: Kubectl, withinMs = deadlineMs): Promise<void> => {
  await kubectl.run(['-n', agentNamespace, 'rollout', 'status', deployment, `--timeout=${withinMs / 1000}s`]);
};

export const scaleControllers = async (kubectl: Kubectl, replicas: number): Promise<void> => {
  await kubectl.run(['-n', agentNamespace, 'scale', deployment, `--replicas=${replicas}`]);
  // Those that are told to end count until they have: they answer to the last.
  const wanted = async () => ((await controllerPods(kubectl)).length === replicas ? true : undefined);
  await pollUntil(`${replicas} controllers`, wanted, { deadlineMs });
  await controllersReady(kubectl);
};

/** Those that stay: one that a rollout replaced takes its time to end, and cannot be asked for long. */
export const controllers = async (kubectl: Kubectl): Promise<readonly PodRef[]> =>
  (await controllerPods(kubectl)).filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(refOf);

const controllerPods = async (kubectl: Kubectl): Promise<readonly Pod[]> => {
  const selector = ['-l', 'app.kubernetes.io/component=controller'];
  const { items } = await kubectl.getJson<{ items: Pod[] }>(['-n', agentNamespace, 'pods', ...selector]);
  return items;
};
