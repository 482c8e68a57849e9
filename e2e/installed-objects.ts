// Whatever of an installation is in the cluster, by name: all of it is called dynamic-networks-something.
import { resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { explained } from './expectations.ts';
import { agentNamespace } from './install-agent.ts';
import type { Kubectl } from './target.ts';

const shippedDir = resolve(import.meta.dirname, '..', 'deploy');

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

/** Gates that other stories had on leave their rights behind: kustomize removes nothing by itself. */
export const removeGates = async (kubectl: Kubectl): Promise<void> => {
  const objects = loadAll(await kubectl.run(['kustomize', shippedDir])) as { metadata: { name: string } }[];
  const shipped = new Set(objects.map(({ metadata }) => metadata.name));
  const left = (await installedObjects(kubectl)).filter((object) => {
    const [kind = '', name = ''] = object.split('/');
    return /^(cluster)?role(binding)?\.|webhookconfiguration/.test(kind) && !shipped.has(name);
  });
  if (left.length > 0) await kubectl.run(['-n', agentNamespace, 'delete', ...left]);
};

export const expectNothingInstalled = (kubectl: Kubectl): Promise<boolean> =>
  explained(
    'nothing of the installation to be left',
    async () => {
      const namespace = await kubectl.run(['get', 'namespace', agentNamespace, '--ignore-not-found', '-o', 'name']);
      const left = [...(await installedObjects(kubectl)), ...namespace.split('\n').filter(Boolean)];
      if (left.length > 0) throw new Error(`there are ${left.join(', ')}`);
      return true;
    },
    60_000,
  );
