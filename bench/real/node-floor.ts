// The floor on a real node: the same commands as the agent's, sent by one small process that runs in the node itself. The
// node sees a folder of this machine, through which the process, its Node and its work get there.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { clusterDir } from '../../e2e/cluster/cluster-state.ts';
import { inNode } from '../../e2e/cluster/layout.ts';
import type { ClusterNode } from '../../e2e/cluster/node.ts';
import type { Network } from '../../e2e/networks.ts';
import { median } from '../percentiles.ts';
import type { Timing } from '../world.ts';
import type { DelegateJob } from './delegate-sender.ts';

const folder = 'bench';
const program = 'delegate-sender.ts';
const timing = z.object({ totalMs: z.number(), latenciesMs: z.array(z.number()), endedAtMs: z.number() });

/** How long the program may take to get as far as sending. */
const bootMs = 3000;

/** What Multus has to know of a pod. */
export interface DelegateTarget {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containerId: string;
  readonly netns: string;
}

export type Command = 'ADD' | 'DEL';

export interface FloorJob {
  readonly targets: readonly DelegateTarget[];
  /** Interface and its network, in the order of the commands for each pod. */
  readonly interfaces: readonly (readonly [string, Network])[];
  readonly parallel: number;
  /** What happens at the same time, for each command; the time is then that until both are over. */
  readonly alongside?: Readonly<Record<Command, () => Promise<void>>>;
}

const bodyOf = (command: Command, pod: DelegateTarget, ifname: string, config: string): string =>
  JSON.stringify({
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: pod.containerId,
      CNI_NETNS: pod.netns,
      CNI_IFNAME: ifname,
      CNI_ARGS: `K8S_POD_NAMESPACE=${pod.namespace};K8S_POD_NAME=${pod.name};K8S_POD_UID=${pod.uid}`,
    },
    config: Buffer.from(config).toString('base64'),
    interfaceAttributes: {},
  });

export interface NodeFloorOptions {
  readonly clusterName: string;
  readonly node: ClusterNode;
  /** Those of the node, when it has its own: the client of the floor is in the node, as an agent is. */
  readonly processors?: string;
  /** CPU time that all nodes used up to now. */
  readonly clusterCpuMs: () => Promise<number>;
}

export const openNodeFloor = async ({ clusterName, node, processors, clusterCpuMs }: NodeFloorOptions) => {
  const here = join(clusterDir(clusterName), node.name, 'etc', folder);
  const there = `${inNode.config}/${folder}`;
  await mkdir(here, { recursive: true });
  await copyFile(process.execPath, join(here, 'node'));
  await copyFile(resolve(import.meta.dirname, program), join(here, program));

  const run = async (work: Omit<DelegateJob, 'socketPath'>) => {
    const job: DelegateJob = { socketPath: inNode.multusSocket, ...work };
    await writeFile(join(here, 'job.json'), JSON.stringify(job));
    const onThem = processors === undefined ? [] : ['taskset', '-c', processors];
    const output = await node.run([
      ...onThem,
      `${there}/node`,
      '--no-warnings',
      `${there}/${program}`,
      `${there}/job.json`,
    ]);
    return timing.parse(JSON.parse(output));
  };

  const send = async (bodies: readonly string[], parallel: number): Promise<Timing & { readonly cpuMs: number }> => {
    const before = await clusterCpuMs();
    const { totalMs, latenciesMs } = await run({ parallel, bodies });
    const cpuMs = (await clusterCpuMs()) - before;
    return { totalMs, latenciesMs, cpuMs };
  };

  const sendAlongside = async (
    bodies: readonly string[],
    parallel: number,
    work: () => Promise<void>,
  ): Promise<Timing> => {
    const startAtMs = Date.now() + bootMs;
    const workEndMs = async (): Promise<number> => {
      await delay(startAtMs - Date.now());
      await work();
      return Date.now();
    };
    const [sent, workedUntilMs] = await Promise.all([run({ parallel, bodies, startAtMs }), workEndMs()]);
    return { totalMs: Math.max(sent.endedAtMs, workedUntilMs) - startAtMs, latenciesMs: sent.latenciesMs };
  };

  /** What it costs to start the program and to look, which is not the floor's. */
  const idle = [];
  for (let time = 0; time < 5; time += 1) idle.push((await send([], 1)).cpuMs);
  const overheadMs = median(idle);

  return {
    measure: async ({ targets, interfaces, parallel, alongside }: FloorJob): Promise<{ add: Timing; del: Timing }> => {
      const bodies = (command: Command): string[] =>
        targets.flatMap((pod) => interfaces.map(([name, { config }]) => bodyOf(command, pod, name, config)));
      const measure = async (command: Command): Promise<Timing> => {
        if (alongside !== undefined) return await sendAlongside(bodies(command), parallel, alongside[command]);
        const { cpuMs, ...times } = await send(bodies(command), parallel);
        return { ...times, cpuMs: cpuMs - overheadMs };
      };
      return { add: await measure('ADD'), del: await measure('DEL') };
    },
    close: (): Promise<void> => rm(here, { recursive: true, force: true }),
  };
};

export type NodeFloor = Awaited<ReturnType<typeof openNodeFloor>>;
