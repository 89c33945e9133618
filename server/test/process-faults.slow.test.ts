import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { cloneDatabase } from './database.ts';
import { buildFoyer, foyer, removeFoyer } from './foyer-process.ts';
import { execute } from './global-setup.ts';

beforeAll(buildFoyer);
afterAll(removeFoyer);

const waitOptions = { timeout: 30_000, interval: 50 };

/** A script for the process that raises errors when it receives a signal. */
const faultScript = `
  process.on('SIGUSR2', () => void Promise.reject(new Error('nobody handles this')));
  process.on('SIGWINCH', () => { throw new Error('nobody catches this'); });`;

async function startFoyer() {
  const database = await cloneDatabase();
  const run = foyer(['start'], {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_DEMO: 'false',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(faultScript)}`,
  });
  onTestFinished(async () => {
    run.child.kill('SIGKILL');
    await run.ended;
    await database.drop();
  });
  const url = await run.ready();
  const checkReadiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const body = (await answer.json()) as { status: string; parts: Record<string, string> };
    return { code: answer.status, ...body };
  };
  return { ...run, ...database, checkReadiness };
}

test('an unhandled rejection is logged, degrades the readiness, and does not end the process', async () => {
  const { child, err, checkReadiness } = await startFoyer();
  expect(await checkReadiness()).toMatchObject({ code: 200, status: 'ok', parts: { process: 'ok', worker: 'ok' } });
  child.kill('SIGUSR2');
  await vi.waitFor(() => expect(err()).toContain('unhandled rejection'), waitOptions);
  expect(err()).toContain('nobody handles this');
  expect(await checkReadiness()).toMatchObject({
    code: 200,
    status: 'degraded',
    parts: { database: 'ok', writes: 'ok', worker: 'ok', process: 'unhandled-rejection' },
  });
  child.kill('SIGTERM');
  await vi.waitFor(() => expect(child.exitCode).toBe(0), waitOptions);
});

test('an uncaught exception is logged and stops the process gracefully with exit code 1', async () => {
  const { child, err, ended } = await startFoyer();
  child.kill('SIGWINCH');
  expect(await ended).toBe(1);
  expect(err()).toContain('nobody catches this');
});

test('repeatedly broken database connections during requests and jobs do not end the process', async () => {
  const { connectionString, child, checkReadiness } = await startFoyer();
  for (let round = 0; round < 5; round++) {
    await execute(
      connectionString,
      `select graphile_worker.add_job(name) from unnest('{prune-tokens,reset-usage,seal-audit,sync-meetings}'::text[]) name`,
    );
    await execute(
      connectionString,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await checkReadiness();
  }
  await vi.waitFor(async () => expect(await checkReadiness()).toMatchObject({ code: 200, status: 'ok' }), waitOptions);
  expect(child.exitCode).toBeNull();
});
