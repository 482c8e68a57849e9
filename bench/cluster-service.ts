// The embedded cluster with what a measurement asks of it. Times are taken here, in the process that holds the objects: an
// edit is timed when it is made, its effect when the status is in the store.
import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { agentFields } from '../src/config/agent-settings.ts';
import { agentFlags } from '../src/embedded/agent-under-test.ts';
import type { KubeObject } from '../src/embedded/api/object-store.ts';
import { startEmbeddedCluster } from '../src/embedded/cluster.ts';
import { delegateBody } from '../src/embedded/node/delegate-client.ts';
import { networkStatusAnnotation, parseNetworkStatus } from '../src/embedded/node/network-status.ts';
import type { Calls, PodRef, Timing } from './world.ts';

export type ClusterService = Awaited<ReturnType<typeof makeClusterService>>;

const namespace = 'bench';
const interfaceNames = ['hot0', 'hot1', 'hot2'] as const;
const editTimeoutMs = 120_000;

const networkOf = (iface: string): string => `net-of-${iface}`;

const configOf = (iface: (typeof interfaceNames)[number]) => ({
  cniVersion: '0.3.1',
  name: networkOf(iface),
  type: 'bridge',
  bridge: `br-${iface}`,
  ipam: {
    type: 'host-local',
    ranges: [[{ subnet: `10.${50 + interfaceNames.indexOf(iface)}.0.0/16` }]],
  },
});

/** As an agent's pod would run: what the tests shorten is as long as the product has it. */
const productionSettings = (): Record<string, string> => {
  const { retryMin, retryMax, checkInterval, multusTimeout, shutdownTimeout, logLevel, concurrency } = agentFields;
  const fields = { retryMin, retryMax, checkInterval, multusTimeout, shutdownTimeout, logLevel, concurrency };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default ?? '']));
};

export const makeClusterService = async () => {
  const cluster = await startEmbeddedCluster();
  for (const iface of interfaceNames) {
    cluster.createNad({ name: networkOf(iface), namespace, config: configOf(iface) });
  }
  let lastPod = 0;

  const shows = (object: KubeObject, wanted: string): boolean =>
    parseNetworkStatus(object.metadata.annotations?.[networkStatusAnnotation])
      .filter((entry) => entry.default !== true)
      .map((entry) => entry.interface)
      .sort()
      .join() === wanted;

  const callsOf = (): Calls => ({
    cri: countBy(cluster.cri.calls.map(({ method }) => method)),
    multus: countBy(cluster.multus.calls.map(({ command }) => command)),
    api: cluster.api.calls.counts(),
  });

  return {
    agentFlags: () => agentFlags(cluster, productionSettings()),
    multusSocket: () => cluster.multusSocket,
    ledgerFilesystem: () => filesystemOf(cluster.dir),

    createPods: async (count: number): Promise<PodRef[]> => {
      const refs = Array.from({ length: count }, (_, index) => ({ namespace, name: `pod-${lastPod + index}` }));
      lastPod += count;
      await Promise.all(refs.map((ref) => cluster.createPod(ref)));
      return refs;
    },

    /** Bodies of `/delegate`, pod by pod. */
    delegateBodies: (command: string, pods: readonly PodRef[], interfaces: number): string[] =>
      pods.flatMap((pod) =>
        interfaceNames
          .slice(0, interfaces)
          .map((ifname) => delegateBody(cluster, { command, pod, ifname, config: configOf(ifname), attributes: {} })),
      ),

    edit: async (pods: readonly PodRef[], interfaces: number): Promise<Timing> => {
      const names = interfaceNames.slice(0, interfaces);
      const networks = names.map((name) => ({ name: networkOf(name), namespace, interface: name }));
      const wanted = names.join();
      const editedAt = new Map<string, number>();
      const latenciesMs: number[] = [];
      const all = Promise.withResolvers<void>();
      const end = cluster.objects.subscribe(({ resource, object }) => {
        if (resource !== 'pods') return;
        const start = editedAt.get(object.metadata.name);
        if (start === undefined || !shows(object, wanted)) return;
        latenciesMs.push(performance.now() - start);
        editedAt.delete(object.metadata.name);
        if (latenciesMs.length === pods.length) all.resolve();
      });
      const timer = setTimeout(
        () => all.reject(new Error(`${editedAt.size} of ${pods.length} pods lack their status`)),
        editTimeoutMs,
      );
      const started = performance.now();
      try {
        for (const pod of pods) {
          editedAt.set(pod.name, performance.now());
          cluster.editNetworks(pod, networks);
        }
        await all.promise;
        return { totalMs: performance.now() - started, latenciesMs };
      } finally {
        clearTimeout(timer);
        end();
      }
    },

    settle: async (quietMs: number): Promise<void> => {
      const total = (): number => cluster.api.calls.count() + cluster.multus.calls.length + cluster.cri.calls.length;
      let before = -1;
      while (before !== total()) {
        before = total();
        await delay(quietMs);
      }
    },
    beginMeasuring: (): void => {
      cluster.api.calls.reset();
      cluster.multus.forgetCalls();
      cluster.cri.forgetCalls();
      globalThis.gc?.();
    },
    calls: callsOf,
    cpuMs: (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    slowMultus: (ms: number): void => {
      cluster.multus.clearFaults();
      if (ms > 0) cluster.multus.inject({ kind: 'slow', ms });
    },
    findLeaks: (): string[] => cluster.leaks().map((leak) => JSON.stringify(leak)),
    stop: () => cluster.stop(),
  };
};

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Magic numbers of statfs(2). */
const filesystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs',
  2035054128: 'overlay',
  1481003842: 'xfs',
  2435016766: 'btrfs',
};

const filesystemOf = (path: string): string => {
  const { type } = statfsSync(path);
  return filesystems[type] ?? `0x${type.toString(16)}`;
};
