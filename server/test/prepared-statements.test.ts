import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect, type Connection } from '../src/database/connect.ts';
import type { BufferedQuery } from '../src/database/prepared-connection.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
let connection: Connection;
beforeAll(async () => {
  database = await cloneDatabase();
  connection = connect(database.connectionString, { max: 1, onError: () => undefined });
  await connection.pool.query(`create table notes (number int primary key, text text)`);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});
beforeEach(() => connection.pool.query('truncate notes'));

const insert = `insert into notes (number, text) values ($1, $2)`;
const bufferedInsert = (number: number): BufferedQuery => ({
  ...CompiledQuery.raw(insert, [number, 'buffered']),
  isBuffered: true,
});

async function readNumbers(): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`select number from notes order by number`.execute(connection.db);
  return rows.map(({ number }) => number);
}

/** How many transactions of this database have ended. The statistics of a connection are sent when it is idle. */
async function countTransactions(): Promise<number> {
  await connection.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await connection.pool.query<{ count: string }>(
    `select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`,
  );
  return Number(rows[0]?.count);
}

test('statements return the same rows and counts whether they run for the first time or repeatedly', async () => {
  const values = [null, 'text', 12, 1.5, true, Buffer.from([0, 255]), ['a"b', null, '{}'], { 'a,b': [1] }];
  for (let round = 0; round < 3; round++) {
    const { rows } =
      await sql`select ${values[0]}::text as "null", ${values[1]}::text as text, ${values[2]}::int8 as number,
      ${values[3]}::numeric as amount, ${values[4]}::bool as yes, ${values[5]}::bytea as bytes, ${values[6]}::text[] as list,
      ${values[7]}::jsonb as document, '2026-01-31'::date as day, '__proto__' as "constructor"`.execute(connection.db);
    expect(rows).toEqual([
      {
        null: null,
        text: 'text',
        number: 12,
        amount: '1.5',
        yes: true,
        bytes: Buffer.from([0, 255]),
        list: ['a"b', null, '{}'],
        document: { 'a,b': [1] },
        day: '2026-01-31',
        constructor: '__proto__',
      },
    ]);
    expect(
      (await sql`insert into notes values (${round}, null), (${round + 10}, null)`.execute(connection.db))
        .numAffectedRows,
    ).toBe(2n);
    expect(
      (await sql`update notes set text = ${'x'} where number = ${99}`.execute(connection.db)).numAffectedRows,
    ).toBe(0n);
    expect(await sql`select number from notes where number = ${99}`.execute(connection.db)).toEqual({ rows: [] });
  }
});

test('a statement can run again after it failed, also if it was not prepared on the connection before', async () => {
  const divide = (divisor: number) =>
    sql<{ result: number }>`select 12 / ${divisor}::int as result`.execute(connection.db);
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  expect((await divide(3)).rows).toEqual([{ result: 4 }]);
  const readTable = () => sql`select * from later`.execute(connection.db);
  await expect(readTable()).rejects.toMatchObject({ code: '42P01' });
  await connection.pool.query('create table later (id int)');
  expect((await readTable()).rows).toEqual([]);
  await connection.pool.query('drop table later');
});

test('each cursor returns its own columns, although they are fetched with the same statement', async () => {
  for (const column of ['first', 'second']) {
    const rows = await connection.db.transaction().execute(async (tx) => {
      await sql`declare list no scroll cursor for select 1 as ${sql.id(column)}`.execute(tx);
      return (await sql`fetch 5 from list`.execute(tx)).rows;
    });
    expect(rows).toEqual([{ [column]: 1 }]);
  }
});

test('all statements return their rows, also if they are more than a connection keeps prepared', async () => {
  for (let number = 0; number < 520; number++) {
    const { rows } = await sql.raw(`select ${number} as "column ${number}"`).execute(connection.db);
    expect(rows).toEqual([{ [`column ${number}`]: number }]);
  }
});

test('a buffered statement is committed with its transaction', async () => {
  for (const number of [1, 2, 3]) {
    await connection.db.transaction().execute(async (tx) => {
      await tx.executeQuery(bufferedInsert(number));
      await tx.executeQuery(bufferedInsert(number + 10));
      expect((await sql`select number from notes where number = ${number + 10}`.execute(tx)).rows).toHaveLength(1);
      await tx.executeQuery(bufferedInsert(number + 20));
    });
  }
  expect(await readNumbers()).toEqual([1, 2, 3, 11, 12, 13, 21, 22, 23]);
});

test('when a buffered statement fails, the following statement fails too and nothing is committed', async () => {
  await connection.db.transaction().execute((tx) => tx.executeQuery(bufferedInsert(1)));
  for (const nextStep of ['commit', 'statement'] as const) {
    const change = connection.db.transaction().execute(async (tx) => {
      await sql`insert into notes values (${2}, null)`.execute(tx);
      await tx.executeQuery(bufferedInsert(1));
      if (nextStep === 'statement') await sql`insert into notes values (${3}, null)`.execute(tx);
    });
    await expect(change).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' });
    expect(await readNumbers()).toEqual([1]);
  }
});

test('a failed transaction commits none of its buffered statements, and its connection stays usable', async () => {
  await connection.db.transaction().execute((tx) => tx.executeQuery(bufferedInsert(1)));
  for (const hasStatement of [true, false]) {
    const change = connection.db.transaction().execute(async (tx) => {
      if (hasStatement) await sql`insert into notes values (${2}, null)`.execute(tx);
      await tx.executeQuery(bufferedInsert(3));
      throw new Error('over');
    });
    await expect(change).rejects.toThrow('over');
    expect(await readNumbers()).toEqual([1]);
  }
});

test('a savepoint that is rolled back discards only its own buffered statements', async () => {
  await connection.db.transaction().execute((tx) => tx.executeQuery(bufferedInsert(1)));
  await connection.db.transaction().execute(async (tx) => {
    await tx.executeQuery(bufferedInsert(2));
    await sql`savepoint part`.execute(tx);
    await tx.executeQuery(bufferedInsert(3));
    await sql`rollback to savepoint part`.execute(tx);
    await tx.executeQuery(bufferedInsert(4));
  });
  expect(await readNumbers()).toEqual([1, 2, 4]);
});

test('a transaction without statements sends nothing', async () => {
  const runEmptyTransaction = () => connection.db.transaction().execute(async () => undefined);
  // The first transaction prepares `begin`.
  await runEmptyTransaction();
  const before = await countTransactions();
  for (let round = 0; round < 50; round++) await runEmptyTransaction();
  // The statements of `countTransactions` are transactions too.
  expect((await countTransactions()) - before).toBeLessThan(10);
});
