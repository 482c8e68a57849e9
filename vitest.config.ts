import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'cri/**/*.test.ts', 'deploy/**/*.test.ts', 'docs/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: process.env['CI'] ? ['default'] : ['default'],
  },
});
