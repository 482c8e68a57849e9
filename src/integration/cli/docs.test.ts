// Every command of docs/cli.md, run as it stands there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MachineWorld, on } from '../vm/machine-world.ts';
import { installAgents } from './installed.ts';
import { runDnet } from './run-dnet.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/cli.md'), 'utf8');
const lines = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
const commands = lines
  .filter((line) => line.startsWith('kubectl dnet '))
  .map((line) => {
    const [command = '', comment = ''] = line.split('#').map((part) => part.trim());
    return { command, code: Number(/exits with (\d)/.exec(comment)?.[1] ?? 0) };
  });

const edit = /echo '(.*)' > edit/.exec(page)?.[1] ?? '';

let machines: MachineWorld;
beforeAll(async () => {
  machines = await MachineWorld.start([], { controller: false });
  const { world } = machines;
  const { cluster } = world;
  installAgents(world, { desiredNumberScheduled: 2, numberReady: 1 });
  cluster.api.register({
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  });
  cluster.api.podEndpoints.set(cluster.agentPod, { port: world.agent.telemetryPort, log: '' });
  await world.pod('web');
  writeFileSync(join(cluster.dir, 'edit'), edit);
  await machines.run('vm-a', on());
});
afterAll(() => machines.stop());

describe('docs/cli.md', () => {
  it('has the commands that there are, and only those', async () => {
    const { out } = await runDnet(machines.world, ['--help']);
    const offered = [...out.matchAll(/^ {2}([a-z][\w-]+) /gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    const described = new Set([...commands.map(({ command }) => command.split(' ')[2]), 'ui']);
    expect([...described].toSorted()).toEqual(offered.toSorted());
  });

  it.each(commands)('$command', async ({ command, code }) => {
    const file = (name: string) =>
      name === 'edit' || name.endsWith('.tar.gz') ? join(machines.world.cluster.dir, name) : name;
    const args = command.split(/\s+/).slice(2).map(file);
    const said = await runDnet(machines.world, args);
    expect(said.code, said.err).toBe(code);
  });
});
