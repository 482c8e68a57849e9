import { soak } from '../real/soak.ts';
import { burst, paced } from './burst.ts';
import { floor } from './floor.ts';
import { memory } from './memory.ts';
import type { Scenario } from './scenario.ts';
import { single } from './single.ts';
import { start } from './start.ts';
import { vms } from './vms.ts';
import { webhook } from './webhook.ts';

export interface Choice {
  readonly all: readonly Scenario[];
  /** Without `--only`. */
  readonly byDefault: readonly Scenario[];
  readonly pods: readonly number[];
}

const embeddedScenarios: readonly Scenario[] = [floor, burst, paced, single, start, memory, vms, webhook];

/** One number of pods is enough for the memory of a real one. */
const realMemory: Scenario = { ...memory, podCounts: (all) => all.slice(-1) };
const realScenarios: readonly Scenario[] = [floor, burst, single, realMemory];

export const embeddedChoice: Choice = { all: embeddedScenarios, byDefault: embeddedScenarios, pods: [100, 500] };
export const realChoice: Choice = { all: [...realScenarios, soak], byDefault: realScenarios, pods: [30, 100] };

/** What a reference is put through. */
export const isForReference = ({ name }: Scenario): boolean => name === burst.name || name === single.name;
