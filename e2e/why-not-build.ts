// Stories bring programs in Go and images along, to clusters that are not of the harness too: unless this machine cannot make them.
import { findProgram } from './cluster/machine-check.ts';
import { findRuntime } from './cluster/started-cluster.ts';
import type { Kubectl } from './target.ts';

/** As Kubernetes and Go call it; programs and images are for the processor that they are built on. */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

export const whyNotBuild = async (kubectl: Kubectl): Promise<string | undefined> => {
  if (process.platform !== 'linux') return `this machine is ${process.platform}, and programs are built for Linux`;
  if (findProgram('go') === undefined) return 'there is no Go on this machine';
  if ((await findRuntime()) === undefined) return 'no Docker answers on this machine';
  const path = 'jsonpath={.items[*].status.nodeInfo.architecture}';
  const ofNodes = (await kubectl.run(['get', 'nodes', '-o', path])).split(' ');
  const other = ofNodes.find((one) => one !== architecture);
  return other === undefined ? undefined : `a node is ${other}, and this machine ${architecture}`;
};
