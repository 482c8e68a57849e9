// Two replicas of the bundled controller: who leads when one ends, is killed, or is paused and wakes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../embedded/cluster.ts';

const bundle = resolve(import.meta.dirname, '../../../dist/dynamic-networks.mjs');
let cluster: EmbeddedCluster;
let processes: ChildProcess[];

beforeEach(async () => {
  cluster = await startEmbeddedCluster();
  processes = [];
});
afterEach(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await cluster.stop();
});

const startReplica = (podName: string): ChildProcess => {
  const flags = [
    ['--pod-namespace', 'dynamic-networks'],
    ['--pod-name', podName],
    ['--kubeconfig', cluster.kubeconfigPath],
    ['--lease-duration', '2s'],
    ['--renew-deadline', '1s'],
    ['--lease-retry', '100ms'],
    ['--listen', '127.0.0.1:0'],
    ['--log-level', 'fatal'],
  ].flat();
  const child = spawn(process.execPath, [bundle, 'controller', ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
  processes.push(child);
  return child;
};

const lease = () => {
  const place = { resource: 'leases', namespace: 'dynamic-networks', name: 'dynamic-networks-controller' };
  return cluster.objects.find(place)?.spec ?? {};
};
const leader = (): string => String(lease()['holderIdentity'] ?? '').split('_')[0] ?? '';
/** Has renewed its lease, that is: one that was only given it may not know yet, and if it is paused then, it never led. */
const leads = (podName: string) =>
  cluster.until(
    `${podName} leads`,
    () => leader() === podName && lease()['renewTime'] !== lease()['acquireTime'],
    15_000,
  );

it('a leader that is told to end hands over and exits with 0', async () => {
  const a = startReplica('a');
  await leads('a');
  startReplica('b');
  await cluster.until(
    'b asks for the lease',
    () => cluster.api.calls.matching({ verb: 'get', resource: 'leases' }).length > 5,
  );
  a.kill('SIGTERM');
  const [code] = await once(a, 'exit');
  expect(code).toBe(0);
  await leads('b');
}, 30_000);

it('a leader that is killed is followed', async () => {
  const a = startReplica('a');
  await leads('a');
  startReplica('b');
  a.kill('SIGKILL');
  await leads('b');
}, 30_000);

it('a leader that is paused is followed, and ends when it wakes, for it may have missed everything', async () => {
  const a = startReplica('a');
  await leads('a');
  startReplica('b');
  a.kill('SIGSTOP');
  await leads('b');
  a.kill('SIGCONT');
  const [code] = await once(a, 'exit');
  expect([code, leader()]).toEqual([1, 'b']);
}, 30_000);
