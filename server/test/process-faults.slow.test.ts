import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { cloneDatabase } from './database.ts';
import { buildFoyer, foyer, removeFoyer } from './foyer-process.ts';
import { execute } from './global-setup.ts';

beforeAll(buildFoyer);
afterAll(removeFoyer);

const patience = { timeout: 30_000, interval: 50 };

/** Errors in the process, triggered by signals. */
const mistakes = `
  process.on('SIGUSR2', () => void Promise.reject(new Error('nobody handles this')));
  process.on('SIGWINCH', () => { throw new Error('nobody catches this'); });`;

async function startFoyer() {
  const database = await cloneDatabase();
  const run = foyer(['start'], {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_DEMO: 'false',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(mistakes)}`,
  });
  onTestFinished(async () => {
    run.child.kill('SIGKILL');
    await run.ended;
    await database.drop();
  });
  const url = await run.ready();
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const body = (await answer.json()) as { status: string; parts: Record<string, string> };
    return { code: answer.status, ...body };
  };
  return { ...run, ...database, readiness };
}

test('an unhandled rejection is logged and shown by readiness, and does not end the process', async () => {
  const { child, err, readiness } = await startFoyer();
  expect(await readiness()).toMatchObject({ code: 200, status: 'ok', parts: { process: 'ok', worker: 'ok' } });
  child.kill('SIGUSR2');
  await vi.waitFor(() => expect(err()).toContain('unhandled rejection'), patience);
  expect(err()).toContain('nobody handles this');
  expect(await readiness()).toMatchObject({
    code: 200,
    status: 'degraded',
    parts: { database: 'ok', writes: 'ok', worker: 'ok', process: 'unhandled-rejection' },
  });
  child.kill('SIGTERM');
  await vi.waitFor(() => expect(child.exitCode).toBe(0), patience);
});

test('an uncaught exception is logged and ends the process in order, with another exit code than 0', async () => {
  const { child, err, ended } = await startFoyer();
  child.kill('SIGWINCH');
  expect(await ended).toBe(1);
  expect(err()).toContain('nobody catches this');
});

test('connections that break again and again, while requests and jobs run, end no process', async () => {
  const { connectionString, child, readiness } = await startFoyer();
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
    await readiness();
  }
  await vi.waitFor(async () => expect(await readiness()).toMatchObject({ code: 200, status: 'ok' }), patience);
  expect(child.exitCode).toBeNull();
});
