// The node network on the agent's real composition root: the host's tables are files that the test writes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ref, World } from './harness.ts';

let world: World;
beforeEach(async () => {
  world = await World.start({ cluster: { hostLinks: ['eth0', 'br0'] } });
  mkdirSync(join(world.cluster.dir, 'host-net'));
  mkdirSync(join(world.cluster.dir, 'networks'));
});
afterEach(async () => {
  await world.clean();
  await world.stop();
});

/** The node's 192.168.1.10/24 on this interface. */
const carry = (device: string): void => {
  const directory = join(world.cluster.dir, 'host-net');
  const route = [device, '0001A8C0', '00000000', '0001', '0', '0', '0', '00FFFFFF', '0', '0', '0'].join('\t');
  writeFileSync(join(directory, 'route'), `Iface\tDestination\n${route}\n`);
  const leaves = { '192.168.1.10': 'host LOCAL', '192.168.1.255': 'link BROADCAST' };
  const lines = Object.entries(leaves).flatMap(([address, kind]) => [`  |-- ${address}`, `     /32 ${kind}`]);
  writeFileSync(join(directory, 'fib_trie'), `Main:\n${lines.join('\n')}\n`);
};
const define = (): unknown => world.cluster.createNad({ name: 'node-network', config: '' });
const masterOf = (pod: Ref, name: string): Promise<unknown> => world.recordedConfig(pod, name);

it('is plugged on the interface that carries the address, and follows it: what is plugged stays', async () => {
  carry('br0');
  define();
  const [first, second] = [await world.pod('first'), await world.pod('second')];
  world.edit(first, 'node-network@lan0');
  await world.converged(first, { lan0: 'default/node-network' });
  expect(await masterOf(first, 'lan0')).toMatchObject({ type: 'macvlan', master: 'br0', ipam: {} });

  carry('eth0');
  world.edit(second, 'node-network@lan0');
  await world.converged(second, { lan0: 'default/node-network' });
  expect(await masterOf(second, 'lan0')).toMatchObject({ master: 'eth0' });
  expect(await masterOf(first, 'lan0')).toMatchObject({ master: 'br0' });
});

it('is refused with the reason where no interface is found, creates nothing, and heals', async () => {
  carry('lo');
  define();
  const pod = await world.pod('early');
  world.edit(pod, 'node-network@lan0');
  await world.cluster.until('refused', () => world.reports(pod)[0]?.reason === 'NodeNetworkNotFound');
  expect(world.reports(pod)[0]?.message).toMatch(
    /no interface of the node was found to carry its address 192\.168\.1\.10/,
  );
  expect(world.links(pod)).toEqual([]);
  carry('eth0');
  await world.converged(pod, { lan0: 'default/node-network' });
});

it('is there for Multus as a file, as long as a definition asks for it', async () => {
  carry('br0');
  const file = join(world.cluster.dir, 'networks', 'dynamic-networks-node-network.conf');
  define();
  await world.cluster.until('published', () => existsSync(file), 15_000);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ name: 'node-network', master: 'br0' });
  world.cluster.objects.remove({
    resource: 'network-attachment-definitions',
    namespace: 'default',
    name: 'node-network',
  });
  await world.cluster.until('removed', () => !existsSync(file), 15_000);
});

it('is an ordinary network when the definition has a config of its own, or the setting is empty', async () => {
  carry('br0');
  world.cluster.createNad({
    name: 'node-network',
    config: { cniVersion: '0.3.1', type: 'macvlan', master: 'eth0', ipam: {} },
  });
  const pod = await world.pod('own');
  world.edit(pod, 'node-network@lan0');
  await world.converged(pod, { lan0: 'default/node-network' });
  expect(await masterOf(pod, 'lan0')).toMatchObject({ master: 'eth0' });
});
