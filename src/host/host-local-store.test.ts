import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listReservations } from './host-local-store.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'host-local-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const put = (network: string, file: string, content: string) => {
  mkdirSync(join(directory, network), { recursive: true });
  writeFileSync(join(directory, network, file), content);
  utimesSync(join(directory, network, file), 1000, 1000);
};

it('tells who holds which address, of either family, as the plugin writes it', async () => {
  put('blue', '10.1.0.2', 'sandbox-a\r\nnet1');
  put('blue', '10.1.0.3', 'sandbox-b\nnet2');
  put('six', 'fd00::5', 'sandbox-a\r\nnet3');
  expect((await listReservations(directory)).toSorted((a, b) => a.address.localeCompare(b.address))).toEqual([
    { network: 'blue', address: '10.1.0.2', containerId: 'sandbox-a', interface: 'net1', sinceMs: 1_000_000 },
    { network: 'blue', address: '10.1.0.3', containerId: 'sandbox-b', interface: 'net2', sinceMs: 1_000_000 },
    { network: 'six', address: 'fd00::5', containerId: 'sandbox-a', interface: 'net3', sinceMs: 1_000_000 },
  ]);
});

it('takes neither the lock nor the last address for one, nor files beside the networks', async () => {
  put('blue', 'lock', '');
  put('blue', 'last_reserved_ip.0', '10.1.0.9');
  writeFileSync(join(directory, '10.1.0.4'), 'sandbox-a');
  expect(await listReservations(directory)).toEqual([]);
});

it('knows of none where host-local was never used', async () => {
  expect(await listReservations(join(directory, 'nowhere'))).toEqual([]);
});
