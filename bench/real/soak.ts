// Random edits over many pods for a long time. At each checkpoint, and at the end, the kernel, network-status, the ledger and
// the address stores must agree with what was asked for; and over the whole time the agent's memory must stay where it is.
// Everything random comes from one seed, which is printed: `--seed` replays the edits, though not what they meet.

import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../../e2e/faults/random.ts';
import type { Measurement } from '../measurement.ts';
import { machineLoad } from '../scenarios/observe.ts';
import { inWorld, type Scenario, type ScenarioContext } from '../scenarios/scenario.ts';
import type { BenchWorld } from '../world.ts';
import { callsIn, type Sample, valueIn } from './agent-metrics.ts';
import type { BenchNamespace } from './bench-namespace.ts';
import { growthAfterWarmUp, type TimedValue } from './flatness.ts';
import type { InstalledAgent } from './installed-agent.ts';
import { randomEdits } from './random-edits.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly agent: InstalledAgent;
  readonly bench: BenchNamespace;
}

const POD_COUNT = 50;
const CHECKPOINTS = { atLeast: 6, everyMs: 60_000 } as const;
const MAX_GAP_MS = 800;
const SAMPLE_MS = 5000;
const CONVERGE_MS = 60_000;
const QUIET_MS = 500;
const MIB = 1024 * 1024;

const minutesSince = (began: number): number => (performance.now() - began) / 60_000;

/** Samples until it is stopped: also while pods are replaced and the world is judged. */
const sampleMemory = (agent: InstalledAgent, began: number) => {
  const values: TimedValue[] = [];
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const value = valueIn(await agent.samples(), 'process_resident_memory_bytes') / MIB;
      values.push({ minutes: minutesSince(began), value });
      await delay(SAMPLE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = loop();
  // It is looked at in the end; until then a failure must not end the process.
  done.catch(() => undefined);
  return {
    values,
    stop: async (): Promise<void> => {
      stopping.abort();
      await done;
    },
  };
};

const runSoak = async (
  { minutes, seed, agent, bench }: SoakOptions,
  { progress }: ScenarioContext,
  world: BenchWorld,
): Promise<Measurement[]> => {
  const random = randomFrom(seed);
  const pods = (await world.createPods(POD_COUNT)).map(({ name }) => name);
  const networks = bench.networks.map(({ name }) => name);
  await world.startAgent();
  progress(`seed ${seed}: ${minutes} minutes of random edits over ${POD_COUNT} pods`);
  const load = machineLoad();
  const before = await agent.samples();
  const began = performance.now();
  const memory = sampleMemory(agent, began);
  const checkpointMs = Math.min(CHECKPOINTS.everyMs, (minutes * 60_000) / CHECKPOINTS.atLeast);
  let [edits, replaced, checkpoints] = [0, 0, 0];

  const judge = async (): Promise<void> => {
    await bench.watch.untilReported(bench.wanted(), { deadlineMs: CONVERGE_MS });
    await world.settle(QUIET_MS);
    await world.verify();
  };
  try {
    while (minutesSince(began) < minutes) {
      const end = performance.now() + checkpointMs;
      while (performance.now() < end) {
        const edit = randomEdits(random, pods, networks);
        await Promise.all([...edit].map(([name, interfaces]) => bench.ask(name, interfaces)));
        edits += edit.size;
        await delay(random.below(MAX_GAP_MS)); // the pace of the edits, not a wait for anything
      }
      await bench.replacePods([random.pick(pods)]);
      replaced += 1;
      await judge();
      checkpoints += 1;
      const now = memory.values.at(-1)?.value ?? Number.NaN;
      progress(`checkpoint ${checkpoints}: ${edits} edits, everything agrees; ${now.toFixed(1)} MiB`);
    }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${edits} edits and ${checkpoints} checkpoints`, { cause: error });
  } finally {
    await memory.stop();
  }
  for (const name of pods) await bench.ask(name, {});
  await judge();
  const after = await agent.samples();
  return [
    {
      scenario: 'soak',
      pods: POD_COUNT,
      step: `${minutes} min`,
      values: { ...soakValues(memory.values, before, after, edits), seed, edits, replaced, checkpoints, load },
    },
  ];
};

const soakValues = (
  memory: readonly TimedValue[],
  before: readonly Sample[],
  after: readonly Sample[],
  edits: number,
): Record<string, number> => {
  const difference = (name: string): number => valueIn(after, name) - valueIn(before, name);
  if (difference('process_start_time_seconds') !== 0) throw new Error('the agent was restarted meanwhile');
  const [was, is] = [callsIn(before), callsIn(after)];
  const commands = (name: string): number => (is.multus[name] ?? 0) - (was.multus[name] ?? 0);
  const values = memory.map(({ value }) => value);
  const growth = growthAfterWarmUp(memory);
  return {
    adds: commands('ADD'),
    dels: commands('DEL'),
    agentCpuMs: (difference('process_cpu_seconds_total') * 1000) / edits,
    startMiB: values[0] ?? Number.NaN,
    idleMiB: values.at(-1) ?? Number.NaN,
    peakMiB: Math.max(...values),
    slopeMiB: growth.perMinute,
    growthMiB: growth.total,
    bugs: difference('dynamic_networks_bugs_total'),
    retries: difference('dynamic_networks_retries_total'),
  };
};

export const soak: Scenario = {
  name: 'soak',
  description: `random edits over ${POD_COUNT} pods for --minutes: memory stays flat, everything agrees at every checkpoint`,
  podCounts: () => [POD_COUNT],
  run: (context) =>
    inWorld(context, (world) => {
      if (context.soak === undefined) throw new Error('a soak needs a real cluster');
      return runSoak(context.soak, context, world);
    }),
};
