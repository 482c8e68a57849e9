// A real node as a world to measure in: pods, floor and edits on the cluster, a controller that plugs, and the judge: the
// kernel, network-status, the ledger and the address stores, compared with each other and with what was asked for.
import { setTimeout as delay } from 'node:timers/promises';
import { type Interfaces, problemsOf } from '../../e2e/faults/invariant.ts';
import type { NodeSnapshot } from '../../e2e/faults/node-snapshot.ts';
import { viewOf } from '../../e2e/faults/pod-view.ts';
import type { BenchWorld, Calls, PodRef, Timing } from '../world.ts';
import { callsSince } from './agent-metrics.ts';
import { makeBackground } from './background.ts';
import type { BenchNamespace } from './bench-namespace.ts';
import type { Controller } from './controller.ts';
import { interfaceNames } from './interface-names.ts';
import type { FloorJob, NodeFloor } from './node-floor.ts';

export interface RealWorldOptions {
  readonly description: string;
  /** At the node that all pods of the namespace are on. */
  readonly look: () => Promise<NodeSnapshot>;
  readonly bench: BenchNamespace;
  readonly floor: NodeFloor;
  /** CPU time that all nodes used up to now. */
  readonly clusterCpuMs: () => Promise<number>;
  readonly controller: Controller;
}

const quietMs = 500;
const noCalls: Calls = { cri: {}, multus: {}, api: {} };

export const makeRealWorld = (options: RealWorldOptions): BenchWorld => {
  const { description, look, bench, floor, clusterCpuMs, controller } = options;
  const { namespace, networks, watch } = bench;
  const background = makeBackground(clusterCpuMs);
  let isStarted = false;
  let callsBefore: Calls = noCalls;

  /** Interface i is on network i. */
  const firstInterfaces = (count: number): Interfaces =>
    Object.fromEntries(interfaceNames.slice(0, count).map((name, index) => [name, networks[index]?.name ?? '']));

  const edit = (names: readonly string[], interfaces: number): Promise<Timing> =>
    bench.edit(new Map(names.map((name) => [name, firstInterfaces(interfaces)])), controller.editDeadlineMs);

  const settle = async (forMs: number): Promise<void> => {
    let before: string | undefined;
    for (;;) {
      const now = `${watch.changeCount()} ${isStarted ? await controller.activity() : ''}`;
      if (now === before) return;
      before = now;
      await delay(forMs);
    }
  };

  const verify = async (): Promise<void> => {
    const snapshot = await look();
    const world = { pods: watch.list().map(viewOf), nodes: [snapshot], held: [] };
    const problems = problemsOf(world, bench.wanted(), { withoutLedger: !controller.hasLedger });
    if (problems.length > 0) throw new Error(`the world contradicts itself:\n  ${problems.slice(0, 20).join('\n  ')}`);
  };

  const measureFloor = async (
    pods: readonly PodRef[],
    job: Omit<FloorJob, 'targets' | 'interfaces'> & { readonly interfaces: number },
  ) => {
    const { sandboxes } = await look();
    const targets = pods.map(({ name }) => {
      const { uid } = watch.get(name).metadata;
      const sandbox = sandboxes.find(({ podUid }) => podUid === uid);
      if (sandbox === undefined) throw new Error(`pod ${name} has no sandbox`);
      return { namespace, name, uid, containerId: sandbox.id, netns: sandbox.netns };
    });
    const pairs = networks
      .slice(0, job.interfaces)
      .map((network, index) => [interfaceNames[index] ?? '', network] as const);
    const timing = await floor.measure({ ...job, targets, interfaces: pairs });
    await verify();
    return timing;
  };

  const stopAgent = async (): Promise<void> => {
    if (!isStarted) return;
    isStarted = false;
    await controller.stop();
  };

  /** The first pod gets an interface and loses it again. */
  const proveIt = async (): Promise<void> => {
    const [canary = ''] = await bench.ensurePods(1);
    await edit([canary], 1);
    await edit([canary], 0);
  };

  return {
    description,
    warmUpCommands: 1,
    createPods: async (count): Promise<readonly PodRef[]> =>
      (await bench.ensurePods(count)).map((name) => ({ namespace, name })),
    measureFloor,
    measureLeast: async (pods, { interfaces, parallel }) => {
      await bench.openConnections(pods.length);
      const write = (count: number) => () =>
        bench.writeBarely(new Map(pods.map(({ name }) => [name, firstInterfaces(count)])), controller.editDeadlineMs);
      return await measureFloor(pods, { interfaces, parallel, alongside: { ADD: write(interfaces), DEL: write(0) } });
    },
    startAgent: async () => {
      if (isStarted) throw new Error('an agent runs already');
      const began = performance.now();
      isStarted = true;
      await controller.start(proveIt);
      const readyMs = performance.now() - began;
      await settle(quietMs);
      return { readyMs };
    },
    stopAgent,
    edit: (pods, interfaces) =>
      edit(
        pods.map(({ name }) => name),
        interfaces,
      ),
    settle,
    beginMeasuring: async () => {
      callsBefore = (await controller.calls()) ?? noCalls;
      await background.measure();
    },
    calls: async () => {
      const calls = await controller.calls();
      return calls && callsSince(callsBefore, calls);
    },
    agentCpuMs: () => controller.cpuMs(),
    agentMemory: () => controller.memory(),
    serverCpuMs: async () => {
      const own = controller.isInCluster ? await controller.cpuMs() : 0;
      return own === undefined ? undefined : (await background.withoutIt()) - own;
    },
    slowMultus: async () => {
      throw new Error('a real Multus is as fast as it is');
    },
    verify,
    stop: async () => {
      if (!isStarted) return;
      const plugged = [...bench.wanted()].filter(([, interfaces]) => Object.keys(interfaces).length > 0);
      if (plugged.length > 0)
        await edit(
          plugged.map(([name]) => name),
          0,
        );
      await settle(quietMs);
      await verify();
      await stopAgent();
    },
  };
};
