// A thousand edits of one pod in a second, more than a real API server takes of one object: others do not wait for it, and what the
// agent asks of the API server and of Multus follows from how long a pass takes, not from how many edits there were.
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.clean();
  await world.stop();
});

it('a storm on one pod is merged: others are plugged meanwhile, and it ends as the last edit says', async () => {
  const [stormy, calm] = [await world.pod('stormy'), await world.pod('calm')];
  const EDITS = 6000;
  const began = performance.now();
  let calmAfter = Number.POSITIVE_INFINITY;
  world.edit(calm, 'blue@c0');
  const plugged = world.converged(calm, { c0: 'default/blue' }).then(() => {
    calmAfter = performance.now() - began;
  });
  for (let edit = 1; edit <= EDITS; edit += 1) {
    world.edit(stormy, edit === EDITS ? 'blue@s0' : `blue@s0,blue@t${edit % 10}`);
    // So many at a time that the rate is that of the attack, and so few that everything else has its turn.
    if (edit % 25 === 0) await setImmediate();
  }
  const seconds = (performance.now() - began) / 1000;
  await plugged;
  await world.converged(stormy, { s0: 'default/blue' });

  const writes = world.cluster.api.calls.matching({ verb: 'patch', resource: 'pods', name: 'stormy' }).length;
  const told = `${EDITS} edits in ${seconds.toFixed(2)} s; ${writes} writes; the other pod plugged after ${Math.round(calmAfter)} ms`;
  expect(EDITS / seconds, told).toBeGreaterThan(1000);
  expect(calmAfter, told).toBeLessThan(seconds * 1000);
  expect(writes, told).toBeLessThan(EDITS / 10);
});
