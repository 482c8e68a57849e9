// CPU time of nodes, with all that runs on them, as Docker counts it for their containers. Unlike a time by the clock it hardly
// depends on what else the machine has to do.
import { findRuntime } from '../../e2e/cluster/started-cluster.ts';

const nsPerMs = 1e6;

export const openClusterCpu = async (containerIds: readonly string[]): Promise<() => Promise<number>> => {
  const runtime = await findRuntime();
  if (runtime === undefined) throw new Error('no Docker daemon answers');
  const containers = containerIds.map((id) => runtime.container.dockerode.getContainer(id));
  return async () => {
    // Without one-shot Docker waits for a second look, to tell a percentage.
    const all = await Promise.all(containers.map((one) => one.stats({ stream: false, 'one-shot': true })));
    return all.reduce((sum, stats) => sum + stats.cpu_stats.cpu_usage.total_usage / nsPerMs, 0);
  };
};
