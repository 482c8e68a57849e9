import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { last, sideBySide } from './lanes.ts';

const root = resolve(import.meta.dirname, '..');

const everyFile = {
  // They share nothing but the cluster anyway; a worker per file would take a second each to start.
  isolate: false,
  // Only how long a hung test is waited for: deadlines that say something are in the tests.
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

export default defineConfig({
  root,
  test: {
    globalSetup: ['e2e/global-setup.ts'],
    // The first start ever builds everything; the vitest default would give up long before.
    teardownTimeout: 240_000,
    // One cluster for all; one lane after the other.
    projects: [
      {
        root,
        test: { ...everyFile, name: 'side by side', include: sideBySide, maxWorkers: 3, sequence: { groupOrder: 0 } },
      },
      {
        root,
        test: {
          ...everyFile,
          name: 'alone',
          include: ['e2e/**/*.e2e.ts'],
          exclude: [...sideBySide, ...last],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        root,
        test: { ...everyFile, name: 'last', include: last, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
