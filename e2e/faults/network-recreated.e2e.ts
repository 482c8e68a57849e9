// A network's definition goes while interfaces are plugged, and comes back with another config. What is plugged stays as it
// was, and is removed with the config that it was plugged with; what is plugged later follows the new one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { everywhere, type FaultWorld, startWorld } from './fault-world.ts';

const newPrefix = '10.67.2.';

let world: FaultWorld;

const addressOf = async (pod: string, name: string): Promise<string | undefined> => {
  const { pods } = await world.look();
  return pods.find((one) => one.name === pod)?.reported[name]?.address;
};

/** Another store, another range, another bridge: DEL by this config could not find what the old one allocated. */
const recreateLocal = (): Promise<string> =>
  world.kubectl.apply({
    ...world.local.manifest,
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        name: `${world.namespace}-renewed`,
        type: 'bridge',
        bridge: 'faults-renewed',
        ipam: { type: 'host-local', subnet: `${newPrefix}0/24` },
      }),
    },
  });

beforeAll(async () => {
  world = await startWorld({ name: 'network', range: 67 });
  await world.createPods(['a', 'c', 'b', 'd'], everywhere);
});
afterAll(() => world.close());

it('a definition deleted and recreated with another config leaks nothing and breaks nothing', async () => {
  await world.edit({ a: { x0: 'local' }, b: { x0: 'local', y0: 'wide' }, c: { x0: 'local' } });
  await world.converges('before the definition is deleted');
  const kept = await addressOf('a', 'x0');
  await world.kubectl.run(['-n', world.namespace, 'delete', 'network-attachment-definitions', 'local']);

  await world.edit({ b: { y0: 'wide' }, d: { x0: 'local' } });
  const saysWhy = async () => {
    const { pods } = await world.look();
    return pods.find(({ name }) => name === 'd')?.notReady.some((text) => text.startsWith('x0:')) ? true : undefined;
  };
  await pollUntil('pod d to say that the network is not found', saysWhy, { deadlineMs: 30_000 });

  await recreateLocal();
  await world.converges('after the definition came back');
  expect(await addressOf('a', 'x0')).toBe(kept);
  expect(await addressOf('d', 'x0')).toContain(newPrefix);

  await world.edit({ a: {}, c: { z0: 'local' } });
  await world.deletePods(['d'], '--force', '--grace-period=0');
  await world.converges('after what the old config had plugged was unplugged');
  expect(await addressOf('c', 'z0')).toContain(newPrefix);
});
