// A pod that is deleted by force is gone while its containers run on: its successor starts beside them, with the same ledger.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { flagName } from '../config/load-settings.ts';
import { agentFlags } from '../embedded/agent-under-test.ts';
import { World } from './harness.ts';

const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');
let world: World;
let agents: ChildProcess[];

beforeEach(async () => {
  world = await World.start({ agent: false });
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) agent.kill('SIGKILL');
  await world.stop();
});

/** Resolves when it has said something like this. */
const startAgent = async (said: RegExp): Promise<ChildProcess> => {
  const flags = Object.entries(agentFlags(world.cluster, { logLevel: 'info' }));
  const args = flags.flatMap(([name, value]) => [flagName(name), value]);
  const agent = spawn(process.execPath, [bundle, 'agent', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  agents.push(agent);
  const lines = createInterface({ input: agent.stdout });
  const heard = Promise.withResolvers<void>();
  lines.on('line', (line) => said.test(line) && heard.resolve());
  lines.on('close', () => heard.reject(new Error(`the agent ended and never said ${said}`)));
  await heard.promise;
  return agent;
};

it('an agent that starts beside another does nothing until that one is gone, and then all there is to do', async () => {
  const pod = await world.pod('web');
  const old = await startAgent(/"msg":"agent started"/);
  await startAgent(/another agent still runs on this node/);
  world.edit(pod, [{ name: 'blue', interface: 'net1' }]);
  await world.converged(pod, { net1: 'default/blue' });
  expect(world.cluster.multus.calls).toHaveLength(1);

  // Stopped in its tracks, it still is there: whatever it was about to do may be done.
  old.kill('SIGSTOP');
  world.edit(pod, [{ name: 'red', interface: 'net1' }]);
  const gone = once(old, 'exit');
  old.kill('SIGKILL');
  await gone;
  await world.converged(pod, { net1: 'default/red' });
  expect(world.cluster.multus.calls).toHaveLength(3);
});
