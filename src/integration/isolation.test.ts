// Namespace isolation as the node's Multus configuration says it, on an agent that is never restarted unless a test says so.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bridge, type Ref, World } from './harness.ts';

let world: World;
beforeEach(async () => {
  world = await World.start({ agent: false });
  world.cluster.createNad({ namespace: 'tenant', name: 'theirs', config: bridge('theirs', '10.10.7.0/24') });
  world.cluster.createNad({ namespace: 'shared', name: 'common', config: bridge('common', '10.10.6.0/24') });
});
afterEach(async () => {
  await world.clean();
  await world.stop();
});

const multusFile = (): string => join(world.cluster.cniConfigDir, '00-multus.conf');
const configure = (namespaceIsolation: boolean): void =>
  writeFileSync(multusFile(), JSON.stringify({ type: 'multus-shim', namespaceIsolation, globalNamespaces: 'shared' }));
/** What the agent keeps of the rules that it saw last. */
const remembered = (): string => readFileSync(join(world.cluster.dir, 'ledger', 'multus-rules'), 'utf8');
const reasonOf = (pod: Ref, name: string): string | undefined =>
  world.reports(pod).find((report) => report.interface === name)?.reason;
const forbidden = (pod: Ref, name: string): Promise<unknown> =>
  world.cluster.until(`${name} is forbidden`, () => reasonOf(pod, name) === 'NetworkForbidden');

it('forbids networks of other namespaces, alone, and says so once', async () => {
  configure(true);
  await world.startAgent();
  const pod = await world.pod('isolated');
  world.edit(pod, 'tenant/theirs@t0, shared/common@c0, blue@a0');
  await world.converged(pod, { a0: 'default/blue', c0: 'shared/common' });
  await forbidden(pod, 't0');
  expect(world.condition(pod)).toMatchObject({ status: 'False', reason: 'NetworkForbidden' });
  await world.cluster.until('a warning', () => world.events(pod, 'NetworkForbidden').length === 1);
});

it('does not come back to a refused element by itself', async () => {
  configure(true);
  await world.startAgent();
  const pod = await world.pod('refused');
  world.edit(pod, 'tenant/theirs@t0');
  await forbidden(pod, 't0');
  const metrics = async (): Promise<string> =>
    (await (await fetch(`http://127.0.0.1:${world.agent.telemetryPort}/metrics`)).text())
      .split('\n')
      .filter((line) => /^dynamic_networks_(queue_(depth|waiting)|retries_waiting)|outcome="retry"/.test(line))
      .join('\n');
  await world.cluster.until('nothing is due any more', async () => !/ [1-9]\d*$/m.test(await metrics()));
});

it('is followed while the agent runs: what a rule forbade is plugged when the rule goes, and what is plugged stays when it comes', async () => {
  configure(true);
  await world.startAgent();
  const pod = await world.pod('followed');
  world.edit(pod, 'tenant/theirs@t0, blue@a0');
  await world.converged(pod, { a0: 'default/blue' });
  await forbidden(pod, 't0');

  configure(false);
  await world.converged(pod, { a0: 'default/blue', t0: 'tenant/theirs' }, 15_000);

  configure(true);
  await world.cluster.until('the rule is known', () => remembered().includes('"isNamespaceIsolated":true'), 15_000);
  world.edit(pod, 'tenant/theirs@t0');
  await world.converged(pod, { t0: 'tenant/theirs' });
  expect(world.condition(pod)).toMatchObject({ status: 'True' });
});

it('heals by an edit as well', async () => {
  configure(true);
  await world.startAgent();
  const pod = await world.pod('edited');
  world.edit(pod, 'tenant/theirs@t0');
  await forbidden(pod, 't0');
  world.edit(pod, 'shared/common@t0');
  await world.converged(pod, { t0: 'shared/common' });
});

it("holds for an agent that starts while Multus' file is absent", async () => {
  configure(true);
  await world.startAgent();
  const first = await world.pod('first');
  world.edit(first, 'tenant/theirs@t0');
  await forbidden(first, 't0');

  await world.stopAgent();
  rmSync(multusFile());
  await world.startAgent();
  const second = await world.pod('second');
  world.edit(second, 'tenant/theirs@t0, shared/common@c0');
  await world.converged(second, { c0: 'shared/common' });
  await forbidden(second, 't0');
});

it("of a Multus that never was seen is not taken for granted: other namespaces' networks wait until it is known", async () => {
  rmSync(multusFile());
  await world.startAgent();
  const pod = await world.pod('unknown');
  world.edit(pod, 'tenant/theirs@t0, blue@a0');
  await world.converged(pod, { a0: 'default/blue' });
  await forbidden(pod, 't0');
  expect(world.reports(pod)[0]?.message).toMatch(/not known, because its configuration was never seen/);
  configure(false);
  await world.converged(pod, { a0: 'default/blue', t0: 'tenant/theirs' }, 15_000);
});

it.each([
  ['on', 'shared', { c0: 'shared/common' }],
  ['off', '', { c0: 'shared/common', t0: 'tenant/theirs' }],
])('is what the setting says, whatever the node says: %s', async (namespaceIsolation, globalNamespaces, expected) => {
  configure(namespaceIsolation === 'off');
  await world.startAgent({ namespaceIsolation, ...(globalNamespaces && { globalNamespaces }) });
  const pod = await world.pod('set');
  world.edit(pod, 'tenant/theirs@t0, shared/common@c0');
  await world.converged(pod, expected);
});
