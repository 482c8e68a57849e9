// Whatever of an installation is in the cluster, by name: all of it is called dynamic-networks-something.
import { agentNamespace } from './install-agent.ts';
import type { Kubectl } from './target.ts';

const ofTheCluster = [
  'clusterroles',
  'clusterrolebindings',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
];
const ofTheNamespace = [
  'daemonsets',
  'deployments',
  'pods',
  'services',
  'serviceaccounts',
  'roles',
  'rolebindings',
  'configmaps',
  'secrets',
  'networkpolicies',
  'poddisruptionbudgets',
];

/** `kind/name` of each. */
export const installedObjects = async (kubectl: Kubectl): Promise<readonly string[]> => {
  const names = await Promise.all([
    kubectl.run(['get', ofTheCluster.join(), '-o', 'name']),
    kubectl.run(['-n', agentNamespace, 'get', ofTheNamespace.join(), '-o', 'name']),
  ]);
  return names
    .join('\n')
    .split('\n')
    .filter((name) => name.includes('dynamic-networks'));
};
