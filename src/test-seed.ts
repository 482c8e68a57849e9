// Properties are tested with one seed, so that a commit gives the same result wherever its tests run, and a failure is there to be
// repeated. To look further: `PROPERTY_SEED=random PROPERTY_RUNS=20000 npx vitest run src/model src/controller/claims`.
import fc from 'fast-check';

const { PROPERTY_SEED: seed = '20240607' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
