import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { testFiles } from './scripts/suites/test-files.mjs';

const workspaces = ['contract', 'sdk', 'server', 'sandbox', 'media', 'web', 'bench', 'e2e', 'scripts'];

const conditions = ['@foyer/source', ...defaultServerConditions];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // The tests run real servers, databases and browsers: more at once would only make them wait for each other.
    pool: 'forks',
    maxWorkers: 2,
    fileParallelism: true,
    // Test files keep no state in modules, so each worker loads the server once. This halves the time.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Vitest's default of one second makes every poll a timed assertion, which fails on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: workspaces.map((name) => {
      const { include, exclude } = testFiles(name, process.env['FOYER_TESTS']);
      return {
        extends: true,
        test: {
          name,
          // One PostgreSQL of each supported version for all files; the other workspaces need none.
          globalSetup: name === 'server' ? ['server/test/global-setup.ts'] : [],
          include,
          exclude: ['**/node_modules/**', '**/dist/**', ...exclude],
        },
      };
    }),
  },
});
