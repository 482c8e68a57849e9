// The file that is shipped, not the sources it is made of: what bundling breaks is only seen here.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { flagName } from '../config/load-settings.ts';
import { agentFlags } from '../embedded/agent-under-test.ts';
import { World } from './harness.ts';

const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');
let world: World;
let agent: ChildProcess;

beforeEach(async () => {
  world = await World.start({ agent: false });
  const flags = Object.entries(agentFlags(world.cluster)).flatMap(([name, value]) => [flagName(name), value]);
  agent = spawn(process.execPath, [bundle, 'agent', ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
});

afterEach(async () => {
  agent.kill('SIGKILL');
  await world.stop();
});

it('the bundled agent plugs an interface, unplugs it, and ends in good order', async () => {
  const pod = await world.pod('web');
  world.edit(pod, [{ name: 'blue', interface: 'net1' }]);
  await world.converged(pod, { net1: 'default/blue' });
  expect(await world.ledger()).toEqual({ 'web/net1': 'added' });
  const writers = world.cluster.api.calls.all.filter(({ verb }) => verb === 'patch').map(({ userAgent }) => userAgent);
  expect(new Set(writers)).toEqual(new Set([`dynamic-networks-agent/${packageJson.version}`]));

  world.edit(pod, undefined);
  await world.converged(pod, {});
  agent.kill('SIGTERM');
  const [code] = await once(agent, 'exit');
  expect(code).toBe(0);
  expect(await world.ledger()).toEqual({});
});
