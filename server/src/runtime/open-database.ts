import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../config.ts';
import { connectionConfig, oldestSupportedVersion, requestLimits } from '../database/connect.ts';
import { attachOrStartEmbeddedPostgres, type EmbeddedPostgresLogger } from '../database/embedded/embedded.ts';
import { migrate, readMigrations } from '../database/migrate.ts';

export interface OpenDatabase {
  readonly connectionString: string;
  readonly isEmbedded: boolean;
  /** Whether the tables of Foyer were just created. */
  readonly isNew: boolean;
  stop(): Promise<void>;
}

/** Why Foyer cannot start, in one sentence for the operator. */
export class StartFailure extends Error {}

/**
 * Opens the configured database and migrates it.
 * @param canCreateDatabase whether to create the database if it does not exist
 * @throws StartFailure
 */
export async function openDatabase(
  config: Config,
  logger: EmbeddedPostgresLogger,
  canCreateDatabase: boolean,
): Promise<OpenDatabase> {
  if (!canCreateDatabase && config.databaseUrl === null && !hasEmbeddedCluster(config.dataDir))
    throw missingDatabase(config);
  const database = config.databaseUrl === null ? await openEmbedded(config, logger) : openExternal(config.databaseUrl);
  try {
    return { ...database, isNew: await prepare(database, canCreateDatabase ? null : missingDatabase(config)) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** The location of the database, without its password. */
export function databaseName({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === null) return `the embedded database in ${resolve(dataDir)}`;
  const { host, pathname } = new URL(databaseUrl);
  return `the database ${pathname.slice(1)} at ${decodeURIComponent(host) || 'this machine'}`;
}

function missingDatabase(config: Config): StartFailure {
  const variable = config.databaseUrl === null ? 'FOYER_DATA_DIR' : 'DATABASE_URL';
  return new StartFailure(
    `Foyer is not installed in ${databaseName(config)}. Set ${variable} to the same value as for the server; foyer start and foyer migrate install it.`,
  );
}

type DatabaseAccess = Omit<OpenDatabase, 'isNew'>;

function hasEmbeddedCluster(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

async function openEmbedded(config: Config, logger: EmbeddedPostgresLogger): Promise<DatabaseAccess> {
  const postgres = await attachOrStartEmbeddedPostgres({ dataDir: config.dataDir, logger });
  return { connectionString: postgres.connectionString, isEmbedded: true, stop: postgres.stop };
}

function openExternal(connectionString: string): DatabaseAccess {
  return { connectionString, isEmbedded: false, stop: async () => undefined };
}

/**
 * Migrates the database.
 * @param refusal thrown if the database has no tables of Foyer; null to create them. @returns whether it created them.
 */
async function prepare(
  { connectionString, isEmbedded }: DatabaseAccess,
  refusal: StartFailure | null,
): Promise<boolean> {
  const client = new Client(connectionConfig(connectionString, requestLimits));
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new StartFailure(
      `The database cannot be reached: ${describe(error)}. Check ${isEmbedded ? 'FOYER_DATA_DIR' : 'DATABASE_URL'}.`,
    );
  }
  try {
    await refuseOldVersion(client);
    if (refusal && !(await hasTables(client))) throw refusal;
    // Migrations have no time limit.
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0');
    const migrations = await readMigrations();
    const applied = await migrate(client, migrations);
    return applied.length === migrations.length;
  } finally {
    await client.end();
  }
}

async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ has_tables: boolean }>(
    "select to_regclass('migrations') is not null as has_tables",
  );
  return rows[0]?.has_tables === true;
}

async function refuseOldVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; text: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as text",
  );
  const [version] = rows;
  if (version && Math.floor(Number(version.number) / 10_000) < oldestSupportedVersion) {
    throw new StartFailure(
      `The database is PostgreSQL ${version.text}; Foyer needs ${oldestSupportedVersion} or newer.`,
    );
  }
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
