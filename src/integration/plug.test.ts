import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
});

describe('an edit of the networks annotation', () => {
  it('plugs what was added and unplugs what was removed, address included', async () => {
    const pod = await world.pod('plug');
    world.edit(pod, 'blue@data0');
    await world.converged(pod, { data0: 'default/blue' });
    expect(world.addresses()).toEqual(['10.10.1.2']);
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
    expect(world.cluster.leaks()).toEqual([]);
  });
});
