import { expect, it } from 'vitest';
import { runRandomCrashes } from './random-crashes.ts';

const seed = Number(process.env['CRASH_SEED'] ?? 20261112);
const runs = Number(process.env['CRASH_RUNS'] ?? 250);

it(`keeps kernel, status, ledger and addresses in agreement over ${runs} kills at random moments (seed ${seed})`, async () => {
  await expect(runRandomCrashes(seed, runs)).resolves.toBeUndefined();
}, 1_200_000);
