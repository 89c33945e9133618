import { Client } from 'pg';
import type { Config } from './config.ts';
import { oldestSupportedVersion, poolConfig } from './database/connect.ts';
import { attachOrStartEmbeddedPostgres, type EmbeddedPostgresLogger } from './database/embedded.ts';
import { migrate, readMigrations } from './database/migrate.ts';

export interface OpenDatabase {
  readonly connectionString: string;
  readonly embedded: boolean;
  /** The migrations that were made just now. */
  readonly migrated: readonly string[];
  stop(): Promise<void>;
}

/** What keeps Foyer from starting, in one sentence for whoever starts it. */
export class StartFailure extends Error {}

/** The database of the configuration, reachable, new enough and migrated. @throws StartFailure */
export async function openDatabase(config: Config, logger: EmbeddedPostgresLogger): Promise<OpenDatabase> {
  const database = config.databaseUrl === null ? await openEmbedded(config, logger) : openExternal(config.databaseUrl);
  try {
    return { ...database, migrated: await prepare(database) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

type ReachedDatabase = Omit<OpenDatabase, 'migrated'>;

async function openEmbedded(config: Config, logger: EmbeddedPostgresLogger): Promise<ReachedDatabase> {
  const postgres = await attachOrStartEmbeddedPostgres({ dataDir: config.dataDir, logger });
  return { connectionString: postgres.connectionString, embedded: true, stop: postgres.stop };
}

function openExternal(connectionString: string): ReachedDatabase {
  return { connectionString, embedded: false, stop: async () => undefined };
}

async function prepare({ connectionString, embedded }: ReachedDatabase): Promise<string[]> {
  const { types: _types, ...config } = poolConfig(connectionString);
  const client = new Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new StartFailure(
      `The database cannot be reached: ${describe(error)}. Check ${embedded ? 'FOYER_DATA_DIR' : 'DATABASE_URL'}.`,
    );
  }
  try {
    await refuseOldVersion(client);
    await client.query('set lock_timeout = 0; set idle_in_transaction_session_timeout = 0');
    return await migrate(client, await readMigrations());
  } finally {
    await client.end();
  }
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
