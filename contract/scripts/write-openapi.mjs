import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Writes docs/openapi.json by running the test that checks it, with FOYER_WRITE=1. */
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'contract/test/openapi.test.ts'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, FOYER_WRITE: '1' },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
