import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeNetwork } from './node-network.ts';

let directory: string;
let addresses: readonly string[];
let writes: number;
let network: NodeNetwork;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'host-'));
  mkdirSync(join(directory, 'net'));
  mkdirSync(join(directory, 'net.d'));
  addresses = ['fd00::5'];
  writes = 0;
  network = new NodeNetwork({
    name: 'node-network',
    hostNetDir: join(directory, 'net'),
    networkConfigDir: join(directory, 'net.d'),
    addresses: () => addresses,
    write: async (path, content) => {
      writes += 1;
      writeFileSync(path, content);
    },
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const carry = (device: string): void =>
  writeFileSync(join(directory, 'net/if_inet6'), `fd000000000000000000000000000005 02 40 00 80 ${device}\n`);
const file = (): string => join(directory, 'net.d/dynamic-networks-node-network.conf');
const published = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));

describe('the config', () => {
  it('is macvlan on the interface that carries the address, without addresses', async () => {
    carry('br0');
    expect(JSON.parse(await network.config())).toEqual({
      cniVersion: '0.3.1',
      name: 'node-network',
      type: 'macvlan',
      master: 'br0',
      capabilities: { mac: true },
      ipam: {},
    });
  });

  it('follows an address that moves', async () => {
    carry('eth0');
    await network.config();
    carry('bond0');
    expect(await network.config()).toContain('"master":"bond0"');
  });

  it.each<[string, () => void, RegExp]>([
    [
      'no interface carries the address',
      () => carry('lo'),
      /no interface of the node .* fd00::5, so nothing can be plugged/,
    ],
    ['the tables are not there', () => undefined, /no interface of the node/],
    [
      'the address is not known',
      () => {
        addresses = [];
      },
      /not known yet/,
    ],
  ])('is refused with the reason when %s', async (_, prepare, reason) => {
    prepare();
    await expect(network.config()).rejects.toMatchObject({
      kind: 'nodeNetworkNotFound',
      message: expect.stringMatching(reason),
    });
  });
});

describe('the file for Multus', () => {
  it('is the same config, is written once, and follows the address', async () => {
    carry('eth0');
    await network.publish(true);
    await network.publish(true);
    expect([published(), writes]).toEqual([JSON.parse(await network.config()), 1]);
    carry('br0');
    await network.publish(true);
    expect([published(), writes]).toEqual([expect.objectContaining({ master: 'br0' }), 2]);
  });

  it('is mended when somebody changed it', async () => {
    carry('eth0');
    writeFileSync(file(), '{"name":"node-network","type":"macvlan","master":"wlan0"}');
    await network.publish(true);
    expect(published()).toMatchObject({ master: 'eth0' });
  });

  it.each<[string, () => void, boolean]>([
    ['no interface is found', () => carry('lo'), true],
    ['nobody wants the network any more', () => undefined, false],
  ])('goes when %s, and only it', async (_, change, isWanted) => {
    writeFileSync(join(directory, 'net.d/other.conf'), '{}');
    carry('eth0');
    await network.publish(true);
    expect(existsSync(file())).toBe(true);
    change();
    await network.publish(isWanted);
    expect(readdirSync(join(directory, 'net.d'))).toEqual(['other.conf']);
  });
});
