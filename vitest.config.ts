import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,sdk,server,sandbox,console,e2e,bench}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
