import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { flagName } from '../config/load-settings.ts';
import { agentFlags } from '../embedded/agent-under-test.ts';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.clean());
afterAll(() => world.stop());

const scrape = async (path: string) =>
  await (await fetch(`http://127.0.0.1:${world.agent.telemetryPort}${path}`)).text();

describe('health and metrics', () => {
  it('is ready, and says of each part that it is well', async () => {
    await world.cluster.until('ready', async () => JSON.parse(await scrape('/readyz')).apiServer === 'ok');
    expect(JSON.parse(await scrape('/readyz'))).toEqual({
      apiServer: 'ok',
      networks: 'ok',
      multus: 'ok',
      containerRuntime: 'ok',
    });
    expect(await scrape('/healthz')).toBe('ok\n');
    expect((await fetch(`http://127.0.0.1:${world.agent.telemetryPort}/etc/passwd`)).status).toBe(404);
  });

  it('counts operations, calls and attachments, with series that exist from the start', async () => {
    const pod = await world.pod('measured');
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    const text = await scrape('/metrics');
    for (const line of [
      /^dynamic_networks_operation_duration_seconds_count\{command="ADD",outcome="ok"\} \d+$/m,
      /^dynamic_networks_operation_duration_seconds_count\{command="CHECK",outcome="unreachable"\} 0$/m,
      /^dynamic_networks_attachments\{state="added",network="default\/blue"\} 1$/m,
      /^dynamic_networks_api_requests_total\{method="PATCH",code="200"\} [1-9]\d*$/m,
      /^dynamic_networks_cri_calls_total\{method="ListPodSandbox",outcome="ok"\} [1-9]\d*$/m,
      /^dynamic_networks_queue_depth 0$/m,
      /^dynamic_networks_orphans 0$/m,
      /^dynamic_networks_reconciles_total\{outcome="done"\} [1-9]\d*$/m,
      /^dynamic_networks_bugs_total 0$/m,
    ]) {
      expect(text).toMatch(line);
    }
  });
});

describe('the ledger on disk', () => {
  it('is set aside when it is corrupt, with an alarm on the node, and the agent serves on', async () => {
    const directory = join(world.cluster.dir, 'ledger');
    await world.stopAgent();
    writeFileSync(join(directory, 'broken.json'), '{"version": 1, "attachm');
    await world.startAgent();
    const pod = await world.pod('after-corruption');
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    const setAside = readdirSync(directory).find((file) => file.startsWith('broken.json.corrupt-'));
    expect(readFileSync(join(directory, setAside ?? ''), 'utf8')).toBe('{"version": 1, "attachm');
    await world.cluster.until('an alarm', () =>
      world.cluster.objects.list('events').some((event) => event['reason'] === 'LedgerCorrupt'),
    );
  });

  it('is not written for, and Multus not called for, pods that did not change since the last start', async () => {
    for (const name of ['still-1', 'still-2', 'still-3']) {
      const pod = await world.pod(name, 'red@b0');
      world.edit(pod, 'red@b0, blue@a0');
      await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
      await world.cluster.until('reported', () => world.reports(pod).length === 2);
    }
    await world.stopAgent();
    world.cluster.api.calls.reset();
    world.cluster.cri.forgetCalls();
    world.cluster.multus.forgetCalls();
    await world.startAgent();
    const probe = await world.pod('probe');
    world.edit(probe, 'blue@a0');
    await world.converged(probe, { a0: 'default/blue' });
    expect(
      world.cluster.api.calls
        .matching({ verb: 'list' })
        .map(({ resource }) => resource)
        .sort(),
    ).toEqual(['network-attachment-definitions', 'pods']);
    const touched = world.cluster.api.calls
      .matching({ verb: ['patch', 'get'], resource: 'pods' })
      .map(({ name }) => name);
    expect(new Set(touched)).toEqual(new Set(['probe']));
    expect(world.cluster.multus.calls.every(({ podName }) => podName === 'probe')).toBe(true);
  });
});

describe('the bundled program', () => {
  const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');

  it('finishes what is in flight on SIGTERM, then ends with code 0', async () => {
    expect(existsSync(bundle)).toBe(true);
    await world.stopAgent();
    const flags = Object.entries(agentFlags(world.cluster)).flatMap(([name, value]) => [flagName(name), value]);
    const child = spawn(process.execPath, [bundle, 'agent', ...flags], { stdio: 'inherit' });
    const ended = new Promise<number | null>((resolveCode) => child.once('exit', (code) => resolveCode(code)));
    const pod = await world.pod('in-flight');
    const hold = world.cluster.multus.inject({ kind: 'hang' }, { command: 'ADD', ifname: 'a0' });
    world.edit(pod, 'blue@a0');
    await hold.reached;
    child.kill('SIGTERM');
    hold.release();
    expect(await ended).toBe(0);
    await world.converged(pod, { a0: 'default/blue' });
    expect(await world.ledger()).toEqual({ 'in-flight/a0': 'added' });
    await world.startAgent();
  });
});
