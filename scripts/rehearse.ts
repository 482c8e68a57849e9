// Lets the agent of an image work once, on the embedded cluster, so that Node keeps what it compiled for it beside the program.
// An agent that starts from the image then finds its code compiled: on a node it has pods to serve in its first second.
// Node takes what it finds there only if version, flags and program are the very same, and else compiles as usual.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { flagName } from '../src/config/load-settings.ts';
import { agentFlags } from '../src/embedded/agent-under-test.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../src/embedded/cluster.ts';
import type { ImageEntrypoint } from './image-entrypoint.ts';

export interface Rehearsal {
  readonly node: string;
  readonly program: string;
  /** Where Node keeps it. Its place relative to the program counts, so that both can be moved together. */
  readonly cacheDirectory: string;
  readonly entrypoint: ImageEntrypoint;
}

/** Enough that everything runs which a busy node runs, few enough to take a moment. */
const PODS = 24;
const NETWORKS = ['blue', 'green'] as const;
const DEADLINE_MS = 60_000;
/** The agent's user in the image (deploy/daemonset.yaml). Node keeps what it compiled apart for each user, by a suffix. */
const AGENT_UID = 0;

export const rehearse = async ({ node, program, cacheDirectory, entrypoint }: Rehearsal): Promise<void> => {
  const cluster = await startEmbeddedCluster();
  try {
    const settings = agentFlags(cluster, { logLevel: 'info', checkInterval: '10m' });
    const flags = Object.entries(settings).flatMap(([name, value]) => [flagName(name), value]);
    const agent = spawn(node, [...entrypoint.nodeFlags, program, 'agent', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...entrypoint.env, NODE_COMPILE_CACHE: cacheDirectory },
    });
    try {
      const ended = once(agent, 'exit');
      createInterface({ input: agent.stdout }).resume(); // who does not read its log makes it stand still
      await play(cluster);
      agent.kill('SIGTERM'); // what was compiled is written at the end
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the agent ended its rehearsal with ${code ?? signal}`);
    } finally {
      agent.kill('SIGKILL');
    }
  } finally {
    await cluster.stop();
  }
  await handToAgent(cacheDirectory);
};

/** Plugs, a network that is missing, unplugs, pods that go with their interfaces: what an agent does all day. */
const play = async (cluster: EmbeddedCluster): Promise<void> => {
  const pods = Array.from({ length: PODS }, (_, index) => ({ namespace: 'default', name: `pod-${index}` }));
  for (const [index, name] of NETWORKS.entries()) {
    const ipam = { type: 'host-local', ranges: [[{ subnet: `10.${index + 1}.0.0/24` }]] };
    cluster.createNad({ name, config: { cniVersion: '0.3.1', name, type: 'bridge', bridge: `br-${name}`, ipam } });
  }
  await Promise.all(pods.map((pod) => cluster.createPod(pod)));
  const all = async (networks: string | undefined, names: string): Promise<void> => {
    for (const pod of pods) cluster.editNetworks(pod, networks);
    const shown = (pod: (typeof pods)[number]) =>
      cluster
        .networkStatus(pod)
        .flatMap((entry) => (entry.default ? [] : (entry.interface ?? [])))
        .join();
    await cluster.until(
      `all pods have ${names || 'nothing'}`,
      () => pods.every((pod) => shown(pod) === names),
      DEADLINE_MS,
    );
  };
  await all('blue@b0', 'b0');
  await all(
    '[{"name":"blue","interface":"b0"},{"name":"green","interface":"g0"},{"name":"none","interface":"n0"}]',
    'b0,g0',
  );
  await all('green@g0', 'g0');
  await all(undefined, '');
  await all('blue@b0', 'b0');
  await Promise.all(pods.map((pod) => cluster.deletePod(pod)));
  await cluster.until('all addresses are back', () => cluster.leaks().length === 0, DEADLINE_MS);
};

/** Whoever builds the image, the agent finds what it needs under its own user's name. */
const handToAgent = async (cacheDirectory: string): Promise<void> => {
  const kept = await readdir(cacheDirectory);
  const [only] = kept;
  if (only === undefined || kept.length > 1) {
    throw new Error(`Node kept ${kept.length} sets of compiled code in ${cacheDirectory}, and should have kept one`);
  }
  if ((await readdir(`${cacheDirectory}/${only}`)).length === 0) throw new Error('Node kept no compiled code');
  await rename(`${cacheDirectory}/${only}`, `${cacheDirectory}/${only.replace(/\d+$/, String(AGENT_UID))}`);
};
