import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { bridgeConfig, delegate, post } from './delegate-client.ts';

let cluster: EmbeddedCluster;
let serial = 0;
let pod: { namespace: string; name: string };

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  pod = { namespace: 'default', name: `pod-${++serial}` };
  await cluster.createPod(pod);
  cluster.multus.forgetCalls();
});
afterEach(() => cluster.multus.clearFaults());

const call = (command = 'ADD', ifname = 'net7') => delegate(cluster, { command, ifname, pod, config: bridgeConfig() });
const names = () => cluster.links(pod).map(({ name }) => name);
const heldAddresses = () => cluster.ipam.inspect().filter(({ network }) => network === 'tenant').length;

describe('faults of the daemon', () => {
  it('error: answers 400 and does nothing', async () => {
    cluster.multus.inject({ kind: 'error', message: 'no' });
    const answer = await call();
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(
      /^ContainerID:.* ERRORED: error configuring pod \[default\/pod-\d+\] networking: no\n$/,
    );
    expect(names()).toEqual(['eth0']);
  });

  it('errorAfterActing: answers 400 although all is done', async () => {
    cluster.multus.inject({ kind: 'errorAfterActing' });
    expect((await call()).status).toBe(400);
    expect(names()).toEqual(['eth0', 'net7']);
  });

  it('halfWay: link and address are there, and only DEL cleans up', async () => {
    const before = heldAddresses();
    cluster.multus.inject({ kind: 'halfWay' }, { command: 'ADD', times: 1 });
    expect((await call()).body).toContain('networking: injected error half-way');
    expect(names()).toEqual(['eth0', 'net7']);
    expect((await call()).body).toContain('interface name net7 already exists');
    expect((await call('DEL')).status).toBe(200);
    expect(heldAddresses()).toBe(before);
    expect((await call()).status).toBe(200);
  });

  it.each([true, false])('cut: the connection ends in the middle of the answer, acted: %s', async (acted) => {
    cluster.multus.inject({ kind: 'cut', acted });
    await expect(call()).rejects.toThrow();
    expect(names().includes('net7')).toBe(acted);
    expect(cluster.multus.calls.at(-1)?.status).toBe(0);
  });

  it('answer: any status and body', async () => {
    cluster.multus.inject({ kind: 'answer', status: 200, body: '{"Result"' });
    expect(await call()).toEqual({ status: 200, body: '{"Result"' });
    expect(names()).toEqual(['eth0']);
  });

  it('hang: nothing happens until it is released', async () => {
    const fault = cluster.multus.inject({ kind: 'hang' }, { ifname: 'net7' });
    const answer = call();
    await fault.reached;
    expect(names()).toEqual(['eth0']);
    expect((await call('ADD', 'net8')).status).toBe(200);
    fault.release();
    expect((await answer).status).toBe(200);
    expect(names()).toEqual(['eth0', 'net8', 'net7']);
  });

  it('slow: takes its time', async () => {
    cluster.multus.inject({ kind: 'slow', ms: 30 });
    const start = performance.now();
    expect((await call()).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(29);
  });

  it.each([
    [{ command: 'DEL' as const }, false],
    [{ ifname: 'other' }, false],
    [{ network: 'other' }, false],
    [{ pod: 'default/other' }, false],
    [{ command: 'ADD' as const, ifname: 'net7', network: 'tenant' }, true],
  ])('strike only what the filter %j matches', async (filter, strikes) => {
    cluster.multus.inject({ kind: 'error' }, filter);
    expect((await call()).status).toBe(strikes ? 400 : 200);
  });

  it('strike a given number of times', async () => {
    const fault = cluster.multus.inject({ kind: 'error' }, { times: 2 });
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([400, 400, 200]);
    expect(fault.strikes).toBe(2);
  });
});

describe('down and up', () => {
  it('closes the socket and reopens the same path', async () => {
    await cluster.multus.down();
    await expect(call()).rejects.toThrow(/ENOENT/);
    await cluster.multus.up();
    expect((await call()).status).toBe(200);
  });

  it('leaves a stale socket behind, as a crash does', async () => {
    await cluster.multus.down({ stale: true });
    expect(existsSync(cluster.multusSocket)).toBe(true);
    await expect(call()).rejects.toThrow(/ECONNREFUSED/);
    await cluster.multus.up();
    expect((await call()).status).toBe(200);
  });

  it('cuts requests under way', async () => {
    const fault = cluster.multus.inject({ kind: 'hang' });
    const answer = call();
    await fault.reached;
    await cluster.multus.down();
    await expect(answer).rejects.toThrow();
    await cluster.multus.up();
  });

  it('makes pods wait for it', async () => {
    await cluster.multus.down();
    const waiting = cluster.createPod({ name: 'waits' });
    await cluster.until(
      'it is held up',
      () => cluster.pod({ namespace: 'default', name: 'waits' }).status?.['conditions'],
    );
    expect(cluster.pod({ namespace: 'default', name: 'waits' }).status?.['phase']).toBe('Pending');
    await cluster.multus.up();
    expect((await waiting).status?.['phase']).toBe('Running');
  });
});

describe('what tests see of requests', () => {
  it('counts and logs them', async () => {
    await call();
    await call('DEL');
    await post(cluster.multusSocket, '/healthz', '');
    expect(cluster.multus.count()).toBe(2);
    expect(cluster.multus.count({ command: 'DEL', pod: `default/${pod.name}` })).toBe(1);
    expect(cluster.multus.calls).toMatchObject([
      { command: 'ADD', ifname: 'net7', network: 'tenant', status: 200 },
      { command: 'DEL', status: 200 },
    ]);
  });

  it('lets hooks run before it acts and after, and waits for them', async () => {
    const seen: string[][] = [];
    const ends = [
      cluster.multus.onRequest(() => void seen.push(['received', ...names()]), 'received'),
      cluster.multus.onRequest(async () => void seen.push(['acted', ...names()]), 'acted'),
    ];
    await call();
    for (const end of ends) end();
    await call('DEL');
    expect(seen).toEqual([
      ['received', 'eth0'],
      ['acted', 'eth0', 'net7'],
    ]);
  });
});
