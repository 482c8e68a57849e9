import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,cri,deploy,docs,bench,e2e,scripts}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
