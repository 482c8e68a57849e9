import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { Sequencer } from './sequencer.ts';

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  test: {
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: ['e2e/global-setup.ts'],
    // One cluster for all files, so files take turns.
    fileParallelism: false,
    sequence: { sequencer: Sequencer },
    // They share nothing but the cluster anyway; a worker per file would take a second each to start.
    isolate: false,
    // Only how long a hung test is waited for: deadlines that say something are in the tests.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The first start ever builds everything; the vitest default would give up long before.
    teardownTimeout: 120_000,
  },
});
