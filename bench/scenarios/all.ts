import { burst, paced } from './burst.ts';
import { floor } from './floor.ts';
import { memory } from './memory.ts';
import type { Scenario } from './scenario.ts';
import { single } from './single.ts';
import { start } from './start.ts';

export const scenarios: readonly Scenario[] = [floor, burst, paced, single, start, memory];
