import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { connect, type Connection } from '../src/database/connect.ts';
import { openSnapshot } from '../src/database/snapshot.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

function openPool(onError: (error: Error) => void = () => undefined): Connection {
  const pool = connect(database.connectionString, { onError });
  onTestFinished(() => pool.close());
  return pool;
}

test('a closed snapshot cancels the statement that still runs after a concurrent one has ended', async () => {
  const pool = openPool();
  const snapshot = await openSnapshot({ streams: pool, separate: pool }, { signal: new AbortController().signal });
  const short = sql`select 1`.execute(snapshot.db);
  const long = sql`select pg_sleep(60)`.execute(snapshot.db);
  const outcome = expect(long).rejects.toThrow('canceling statement due to user request');
  await short;
  await snapshot.close();
  await outcome;
});

test('connections that are replaced on purpose are not reported as errors, and lost ones are', async () => {
  const errors: string[] = [];
  const connection = openPool(({ message }) => errors.push(message));
  const { pool } = connection;
  await Promise.all([pool.query('select 1'), pool.query('select 1')]);
  connection.replaceConnections();
  await vi.waitFor(() => expect(pool.totalCount).toBe(0));
  expect(errors).toEqual([]);
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  await openPool().pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await vi.waitFor(() => expect(errors).toEqual([expect.stringContaining('terminating connection')]));
});
