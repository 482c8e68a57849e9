// What the page knows of the cluster: the last snapshot and every change since.
import type { TopologyMessage, TopologyNetwork, TopologyNode, TopologyPod, TopologyVm } from '../topology.ts';

export class Store {
  readonly pods = new Map<string, TopologyPod>();
  readonly networks = new Map<string, TopologyNetwork>();
  readonly nodes = new Map<string, TopologyNode>();
  readonly vms = new Map<string, TopologyVm>();
  cluster = '';
  namespace: string | undefined;
  /** What is not live at the moment. */
  problems: readonly string[] = [];

  apply(message: TopologyMessage): void {
    if (message.type === 'health') {
      this.problems = message.problems;
      return;
    }
    if (message.type === 'snapshot') {
      this.cluster = message.cluster;
      this.namespace = message.namespace;
      for (const map of [this.pods, this.networks, this.nodes, this.vms]) map.clear();
    }
    merge(this.pods, message.parts.pods);
    merge(this.networks, message.parts.networks);
    merge(this.nodes, message.parts.nodes);
    merge(this.vms, message.parts.vms);
  }

  sortedPods(): TopologyPod[] {
    return [...this.pods.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

const merge = <T>(map: Map<string, T>, changes: Readonly<Record<string, T | null>>): void => {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) map.delete(key);
    else map.set(key, value);
  }
};
