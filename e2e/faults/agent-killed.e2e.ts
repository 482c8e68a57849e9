// The agents are killed again and again, at random moments, while the networks of ten pods change.
// Everything random comes from one seed, which is printed: `FAULTS_SEED=… npm run e2e` replays the edits and the moments.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { say } from '../cluster/progress.ts';
import { agentNamespace, agentSelector } from '../install-agent.ts';
import { type Agents, makeAgents } from './agents.ts';
import { everywhere, type FaultWorld, startWorld } from './fault-world.ts';
import type { Interfaces } from './invariant.ts';
import { type Random, randomFrom } from './random.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const podNames = Array.from({ length: 10 }, (_, index) => `pod-${index}`);
const rounds = 5;
const killsPerRound = 6;
const podChanges = { perEdit: 6, withinMs: 1500 };

let world: FaultWorld;
let agents: Agents;

beforeAll(async () => {
  world = await startWorld({ name: 'agent-killed', range: 61 });
  agents = makeAgents(world);
  await world.createPods(podNames, everywhere);
});
afterAll(() => world.close());

const randomInterfaces = (random: Random): Interfaces =>
  Object.fromEntries(
    ['a0', 'b0', 'c0'].filter(() => random.chance(0.5)).map((name) => [name, random.pick(['local', 'local', 'wide'])]),
  );

const randomEdits = (random: Random): Record<string, Interfaces> =>
  Object.fromEntries(
    Array.from({ length: podChanges.perEdit }, () => [random.pick(podNames), randomInterfaces(random)]),
  );

const halfDone = async (): Promise<number> => {
  const { nodes } = await world.look();
  const records = nodes.flatMap(({ ledger }) => ledger.flatMap(({ attachments }) => attachments));
  return records.filter(({ state }) => state !== 'added').length;
};

/** Restarted by the kubelet, and past its start: killing one that has not begun yet would prove little. */
const haveBegun = (): Promise<true> =>
  pollUntil(
    'every agent to run again',
    async () => {
      const path = 'jsonpath={range .items[*]}{.status.containerStatuses[0].state.running.startedAt} {end}';
      const running = await world.kubectl.run(['-n', agentNamespace, 'get', 'pods', '-l', agentSelector, '-o', path]);
      return running.trim().split(/\s+/).filter(Boolean).length === world.nodeNames.length ? true : undefined;
    },
    { deadlineMs: 30_000, intervalMs: 100 },
  );

describe('agents killed while networks change', () => {
  it(`leave nothing half-done, in ${rounds * killsPerRound} kills (seed ${seed})`, { timeout: 600_000 }, async () => {
    const random = randomFrom(seed);
    let [kills, interrupted] = [0, 0];
    for (let round = 1; round <= rounds; round += 1) {
      while (kills < round * killsPerRound) {
        await haveBegun();
        const editing = world.edit(randomEdits(random));
        await sleep(random.below(podChanges.withinMs)); // the fault's own moment, not a wait for anything
        kills += await agents.kill();
        await editing;
        interrupted += await halfDone();
      }
      await world.converges(`seed ${seed}, round ${round}, ${kills} kills`);
    }
    say(`seed ${seed}: ${kills} kills, ${interrupted} interfaces were half-done at that moment`);
    expect(interrupted).toBeGreaterThan(0);
  });

  it('leave nothing half-done when their pods are deleted by force', async () => {
    const random = randomFrom(seed + 1);
    for (let round = 1; round <= 3; round += 1) {
      const editing = world.edit(randomEdits(random));
      await sleep(random.below(podChanges.withinMs));
      await world.kubectl.run([
        ...['-n', agentNamespace, 'delete', 'pods', '-l', agentSelector],
        ...['--force', '--grace-period=0'],
      ]);
      await editing;
    }
    await agents.areRolledOut();
    await world.converges(`seed ${seed + 1}, agents' pods deleted by force`);
  });
});
