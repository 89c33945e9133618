import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const workspaces = ['contract', 'sdk', 'server', 'sandbox', 'web', 'bench', 'e2e', 'scripts'];

/** Tests that compare latencies run by themselves, after all others: `FOYER_TESTS=alone`. */
const isAlone = process.env['FOYER_TESTS'] === 'alone';
const aloneTests = '**/*.alone.test.ts';

const conditions = ['@foyer/source', ...defaultServerConditions];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // The tests run real servers, databases and browsers: more at once would only make them wait for each other.
    pool: 'forks',
    maxWorkers: 2,
    fileParallelism: true,
    // Files keep nothing in modules, so a worker may load and warm the house once for all of them: half the time.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: workspaces.map((name) => ({
      extends: true,
      test: {
        name,
        // One PostgreSQL of each supported age for all files; the other workspaces need none.
        globalSetup: name === 'server' && !isAlone ? ['server/test/global-setup.ts'] : [],
        exclude: ['**/node_modules/**', '**/dist/**', ...(isAlone ? [] : [aloneTests])],
        include: [isAlone ? `${name}/${aloneTests}` : `${name}/**/*.test.{ts,tsx}`],
      },
    })),
  },
});
