import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { MigrationError, migrate, readMigrations } from '../src/database/migrate.ts';
import { columnTypes } from './column-types.ts';
import { databaseAt, execute } from './global-setup.ts';

const path = fileURLToPath(new URL('../src/database/tables.ts', import.meta.url));
const generator = fileURLToPath(new URL('../../node_modules/kysely-codegen/dist/cli/bin.js', import.meta.url));

async function createDatabase(version: '15' | '18', name: string): Promise<string> {
  const server = inject('postgres')[version];
  await execute(server, `drop database if exists ${name}`);
  await execute(server, `create database ${name}`);
  return databaseAt(server, name);
}

async function useClient<Outcome>(
  connectionString: string,
  use: (client: Client) => Promise<Outcome>,
): Promise<Outcome> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

test('the table types match a migrated database; with FOYER_WRITE=1, this test writes them', async () => {
  const connectionString = await createDatabase('18', 'tables_drift');
  const columns = await useClient(connectionString, async (client) => {
    await migrate(client, await readMigrations());
    return await columnTypes(client);
  });
  const generated = `${path}.generated.ts`;
  const options = `--dialect postgres --date-parser string --numeric-parser string --exclude-pattern migrations --log-level error`;
  const typeMapping = {
    timestamptz: 'string',
    int8: 'number',
    json: 'ColumnType<Record<string, unknown>, string, string>',
    jsonb: 'ColumnType<Record<string, unknown>, string, string>',
  };
  await promisify(execFile)(process.execPath, [
    generator,
    ...options.split(' '),
    '--url',
    connectionString,
    '--out-file',
    generated,
    '--type-mapping',
    JSON.stringify(typeMapping),
    '--overrides',
    JSON.stringify({ columns }),
  ]);
  const generatedTypes = `import type { Metadata } from '@foyer/contract/conventions/field.ts';\n${await readFile(generated, 'utf8')}`;
  await rm(generated);
  if (process.env['FOYER_WRITE'] === '1') await writeFile(path, generatedTypes);
  expect(await readFile(path, 'utf8')).toBe(generatedTypes);
});

for (const version of ['15', '18'] as const) {
  test(`on PostgreSQL ${version}, concurrent migrations are applied once, and a second run applies none`, async () => {
    const connectionString = await createDatabase(version, 'racing');
    const migrations = await readMigrations();
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => useClient(connectionString, (client) => migrate(client, migrations))),
    );
    expect(runs.flat()).toEqual(migrations.map(({ name }) => name));
    expect(await useClient(connectionString, (client) => migrate(client, migrations))).toEqual([]);
  });
}

test('a migration that fails leaves no changes', async () => {
  const connectionString = await createDatabase('18', 'failing');
  const broken = [{ number: 1, name: '0001-broken', sql: 'create table half (id int); select nonsense' }];
  await useClient(connectionString, async (client) => {
    await expect(migrate(client, broken)).rejects.toThrow(MigrationError);
    const { rows } = await client.query("select to_regclass('half') as half");
    expect(rows).toEqual([{ half: null }]);
  });
});

test('a migration that loses its connection fails with the cause', async () => {
  const connectionString = await createDatabase('18', 'lost');
  const migration = { number: 1, name: '0001-lost', sql: 'select pg_terminate_backend(pg_backend_pid())' };
  await useClient(connectionString, async (client) => {
    client.on('error', () => undefined);
    await expect(migrate(client, [migration])).rejects.toThrow('Migration 0001-lost failed: terminating connection');
  });
});

test('a database of a newer version is rejected with a sentence about the version', async () => {
  const connectionString = await createDatabase('18', 'newer');
  await useClient(connectionString, async (client) => {
    await migrate(client, [{ number: 9999, name: '9999-future', sql: 'select 1' }]);
    await expect(migrate(client, await readMigrations())).rejects.toThrow(/newer version of Foyer/);
  });
});

test('a database whose migration has changed since it was applied is rejected and left unchanged', async () => {
  const connectionString = await createDatabase('18', 'altered');
  await useClient(connectionString, async (client) => {
    await migrate(client, [{ number: 1, name: '0001-first', sql: 'create table first (id int)' }]);
    const altered = [
      { number: 1, name: '0001-first', sql: 'create table first (id bigint)' },
      { number: 2, name: '0002-second', sql: 'create table second (id int)' },
    ];
    await expect(migrate(client, altered)).rejects.toThrow(/has changed since it was applied.*empty database/);
    const { rows } = await client.query("select to_regclass('second') as second");
    expect(rows).toEqual([{ second: null }]);
  });
});
