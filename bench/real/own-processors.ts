// Gives the node with the pods processors of its own, as a node has: the control plane, which every edit keeps busy, and the
// bench itself get the others. Whatever runs in a node is told, and what it starts later inherits it.
import { availableParallelism } from 'node:os';
import { runCommand } from '../../e2e/cluster/run-command.ts';
import type { StartedCluster } from '../../e2e/cluster/started-cluster.ts';

export interface Processors {
  /** As taskset wants them: `2-3`. */
  readonly node: string;
  readonly others: string;
  readonly all: string;
}

/** The upper half for the node. Undefined with a single processor. */
export const divideProcessors = (count: number): Processors | undefined => {
  if (count < 2) return undefined;
  const half = Math.floor(count / 2);
  return { others: range(0, half - 1), node: range(half, count - 1), all: range(0, count - 1) };
};

const range = (first: number, last: number): string => (first === last ? String(first) : `${first}-${last}`);

/**
 * First the shell itself, which tells whether it can be done at all. Then all others, twice: one that starts while the first round
 * is under way may have inherited the old ones. Those that have ended meanwhile fail.
 */
const tellAll =
  'taskset -acp "$1" $$ >/dev/null || exit; cd /proc; for round in 1 2; do for pid in [0-9]*; do taskset -acp "$1" "$pid" >/dev/null 2>&1; done; done; true';

/** Undefined where there is only one to share. */
export const dedicateProcessors = async (cluster: StartedCluster, nodeName: string) => {
  const processors = divideProcessors(availableParallelism());
  if (processors === undefined) return undefined;
  const tell = async (ofNode: string, ofOthers: string): Promise<void> => {
    await runCommand(['taskset', '-acp', ofOthers, String(process.pid)]);
    for (const node of cluster.nodes) {
      await node.run(['bash', '-c', tellAll, 'bash', node.name === nodeName ? ofNode : ofOthers]);
    }
  };
  await tell(processors.node, processors.others);
  return { ...processors, giveBack: () => tell(processors.all, processors.all) };
};
