// The cluster under test as one that more can be brought into: programs and images that stories need beside what is installed anyway.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { makeNodeTools } from './cluster/node-tools.ts';
import { imagesDir } from './cluster/paths.ts';
import type { Place, PlaceNode } from './cluster/place.ts';
import { runCommand } from './cluster/run-command.ts';
import { attachCluster } from './cluster/started-cluster.ts';
import { commandPrefix, makeNodeExec } from './node-exec.ts';
import { makeKubectl, type Target } from './target.ts';

const makeForeignPlace = (target: Target): Place => {
  const kubectl = makeKubectl(target);
  const nodeExec = makeNodeExec(target, []);
  const makeNode = (name: string): PlaceNode => ({
    ...makeNodeTools(name, (command) => nodeExec(name, command)),
    importImage: async (archive) => {
      const onNode = [...(await commandPrefix(target, name)), 'ctr', '-n', 'k8s.io', 'images', 'import', '-'];
      await runCommand(onNode, { stdinFile: join(imagesDir(), archive) });
    },
  });
  return {
    name: `foreign-${createHash('sha256').update(target.kubeconfigPath).digest('hex').slice(0, 12)}`,
    nodes: target.nodeNames.map(makeNode),
    kubectl: kubectl.run,
    tryKubectl: kubectl.try,
    baseImage: async () => ({ tag: target.podImage, dependsOn: '' }),
  };
};

export const attachPlace = async (target: Target): Promise<Place> =>
  target.clusterState === undefined ? makeForeignPlace(target) : attachCluster(target.clusterState);
