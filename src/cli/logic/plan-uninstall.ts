// What uninstalling takes, and why it may have to wait. Pure.
import type { ClusterPod } from '../gather/cluster-pod.ts';
import type { Holdings } from '../gather/held-interfaces.ts';
import { hasGate, type Installation } from '../gather/installation.ts';

export interface UninstallInput {
  readonly installation: Installation;
  readonly holdings: Holdings;
  /** Pods that have interfaces in a ledger. */
  readonly pods: readonly ClusterPod[];
  /** Running virtual machines with secondary networks. */
  readonly machines: readonly string[];
  /** IPAMClaims of virtual machines and pods. */
  readonly claims: readonly string[];
}

export interface UninstallPlan {
  /** Why not, unless it is forced. */
  readonly obstacles: readonly string[];
  readonly unplug: readonly {
    readonly namespace: string;
    readonly pod: string;
    readonly interface: string;
    readonly network: string;
  }[];
}

export const planUninstall = (input: UninstallInput): UninstallPlan => {
  const { installation, holdings, pods, machines, claims } = input;
  const byKey = new Map(pods.map((found) => [String(found.pod.key), found]));
  const live = holdings.held.filter(({ isOrphan }) => !isOrphan);
  const ofMachines = live.filter(({ namespace, pod }) => byKey.get(`${namespace}/${pod}`)?.vm !== undefined);
  return {
    obstacles: [
      ...ofMachines.map(({ namespace, pod, interface: name, network }) => {
        const vm = byKey.get(`${namespace}/${pod}`)?.vm;
        return `virtual machine ${namespace}/${vm} uses ${name} on ${network}: kubectl dnet removeinterface, or restart it, so that Multus attaches it`;
      }),
      ...(hasGate(installation, 'HotplugNICs') && machines.length > 0
        ? [
            `gate HotplugNICs serves ${machines.length} running virtual machines with secondary networks: ${shown(machines)}`,
          ]
        : []),
      ...(hasGate(installation, 'VMPersistentIPs') && claims.length > 0
        ? [`gate VMPersistentIPs keeps ${claims.length} claims, whose finalizers nobody would remove: ${shown(claims)}`]
        : []),
      ...holdings.silent.map(({ name, node }) => `agent ${name} of node ${node} cannot be asked what it holds`),
    ],
    unplug: live
      .filter((entry) => !ofMachines.includes(entry))
      .map(({ namespace, pod, interface: name, network }) => ({ namespace, pod, interface: name, network })),
  };
};

const shown = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
