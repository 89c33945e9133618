import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,sdk,server,sandbox,console,bench,e2e,scripts}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['server/test/global-setup.ts'],
    // The tests run real servers, databases and browsers: more at once would only make them wait for each other.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
