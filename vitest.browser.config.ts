// The tests of the page of `kubectl dnet ui`, in a real browser: `npm run test:browser`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/integration/cli/ui*.test.ts'],
    deps: { interopDefault: false },
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
