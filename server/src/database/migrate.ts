import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { isBundled } from '../platform/is-bundled.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  /** Null in a database of a version without checksums. */
  readonly checksum: string | null;
}

/** Key of the advisory lock: only one node migrates at a time. */
const lockKey = 7_061_001;

/**
 * Brings the database up to this version, one transaction per migration.
 * @throws MigrationError if a newer version has upgraded the database, or a migration has changed since it was applied.
 */
export async function migrate(client: Client, migrations: readonly Migration[]): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [lockKey]);
  try {
    await client.query(
      `create table if not exists migrations (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default clock_timestamp()
      )`,
    );
    // `to_jsonb`, because the table of a version without checksums has no such column.
    const { rows } = await client.query<AppliedMigration>(
      "select number, name, to_jsonb(migrations) ->> 'checksum' as checksum from migrations order by number",
    );
    checkAppliedMigrations(rows, migrations);
    const appliedNumbers = new Set(rows.map((row) => row.number));
    const pending = migrations.filter((migration) => !appliedNumbers.has(migration.number));
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } finally {
    // A lost connection has released the lock.
    await client.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined);
  }
}

/** @returns the names of the migrations that were not applied yet */
export async function findPendingMigrations(
  query: (text: string) => Promise<{ rows: { number: number }[] }>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { rows } = await query('select number from migrations');
  const appliedNumbers = new Set(rows.map((row) => row.number));
  return migrations.filter((migration) => !appliedNumbers.has(migration.number)).map((migration) => migration.name);
}

export class MigrationError extends Error {}

export async function readMigrations(folder = new URL('../migrations/', moduleRoot())): Promise<Migration[]> {
  const names = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith('.sql')).sort();
  return await Promise.all(
    names.map(async (name) => ({
      number: Number.parseInt(name, 10),
      name: name.replace(/\.sql$/, ''),
      sql: await readFile(new URL(name, folder), 'utf8'),
    })),
  );
}

/** `server/src/` when run from the sources, `server/dist/` when run from the bundle. */
function moduleRoot(): URL {
  return isBundled ? new URL('.', import.meta.url) : new URL('..', import.meta.url);
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      checksumOf(migration),
    ]);
    await client.query('commit');
  } catch (error) {
    // A lost connection has rolled back. The error that is thrown names the cause.
    await client.query('rollback').catch(() => undefined);
    throw new MigrationError(
      `Migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function checkAppliedMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const migrationsByNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const row of applied) {
    const migration = migrationsByNumber.get(row.number);
    if (!migration) {
      throw new MigrationError(
        `A newer version of Foyer has upgraded this database (it has migration ${row.name}, which this version does not know). Start that version instead.`,
      );
    }
    if (row.checksum !== checksumOf(migration)) {
      throw new MigrationError(
        `Migration ${row.name} has changed since it was applied to this database, so the database cannot be upgraded. Start with an empty database.`,
      );
    }
  }
}

/** The checksum includes the name, so that a renamed migration counts as changed. */
function checksumOf({ name, sql }: Migration): string {
  return createHash('sha256').update(`${name}\n${sql}`).digest('hex');
}
