import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['src/test-seed.ts'],
    include: ['{src,cri,deploy,docs,bench,e2e,scripts}/**/*.test.ts'],
    // These need a browser, which npm does not bring: `npm run test:browser`.
    exclude: [...configDefaults.exclude, 'src/integration/cli/ui*.test.ts'],
    // CommonJS as Node itself and the bundle read it, so that what is tested is what runs.
    deps: { interopDefault: false },
    // The longest files start processes and wait for them: on a small machine two at once are nearly twice as fast.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only how long a hung test is waited for. No test is meant to come near it, not even on a machine with other work to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
