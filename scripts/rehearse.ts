// Lets the agent of an image work once, on the embedded cluster, so that Node keeps what it compiled for it beside the program.
// An agent that starts from the image then finds its code compiled: on a node it has pods to serve in its first second.
// Node takes what it finds there only if version, flags and program are the very same, and else compiles as usual.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { flagName } from '../src/config/load-settings.ts';
import { agentFlags } from '../src/embedded/agent-under-test.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../src/embedded/cluster.ts';
import type { ImageEntrypoint } from './image-entrypoint.ts';

/** As in the image, but with paths on this machine. Program and compiled code can be moved together: their relative place counts. */
export type Rehearsal = ImageEntrypoint;

/** Enough that everything runs which a busy node runs, few enough to take a moment. */
const PODS = 24;
const NETWORKS = ['blue', 'green'] as const;
const DEADLINE_MS = 60_000;
/** The agent's user (deploy/daemonset.yaml). Node keeps what it compiled apart for each user, by a suffix. */
export const AGENT_UID = 0;

/** Returns the files that were made. */
export const rehearse = async (rehearsal: Rehearsal): Promise<readonly string[]> => {
  const { node, nodeFlags, program, env, compiledDirectory } = rehearsal;
  const cluster = await startEmbeddedCluster();
  try {
    const settings = agentFlags(cluster, { logLevel: 'info', checkInterval: '10m' });
    const flags = Object.entries(settings).flatMap(([name, value]) => [flagName(name), value]);
    const agent = spawn(node, [...nodeFlags, program, 'agent', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, NODE_COMPILE_CACHE: compiledDirectory },
    });
    try {
      createInterface({ input: agent.stdout }).resume(); // who does not read its log makes it stand still
      const ended = once(agent, 'exit');
      const tooEarly = ended.then(() => Promise.reject(new Error('the agent ended in the middle of its rehearsal')));
      tooEarly.catch(() => {});
      await Promise.race([play(cluster), tooEarly]);
      agent.kill('SIGTERM'); // what was compiled is written at the end
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the agent ended its rehearsal with ${code ?? signal}`);
    } finally {
      agent.kill('SIGKILL');
    }
  } finally {
    await cluster.stop();
  }
  return await handToAgent(compiledDirectory);
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

/** Whoever builds the image, the agent finds what was compiled under its own user's name, and may read it. */
const handToAgent = async (compiledDirectory: string): Promise<readonly string[]> => {
  const kept = await readdir(compiledDirectory);
  const [only = ''] = kept;
  const files = kept.length === 1 ? await readdir(join(compiledDirectory, only)) : [];
  if (files.length === 0)
    throw new Error(`Node was to keep compiled code in ${compiledDirectory}, and has: ${kept.join(', ')}`);
  const ofAgent = join(compiledDirectory, only.replace(/\d+$/, String(AGENT_UID)));
  await rename(join(compiledDirectory, only), ofAgent);
  const paths = files.map((file) => join(ofAgent, file));
  for (const path of paths) await chmod(path, 0o644);
  return paths;
};
