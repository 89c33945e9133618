import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import Cursor from 'pg-cursor';
import { AmbientPostgresDialect } from './one-transaction.ts';
import type { DB } from './tables.ts';

export type Database = Kysely<DB>;

export interface Connection {
  readonly db: Database;
  /** For statements that are never part of a request's transaction. */
  readonly apart: Kysely<never>;
  readonly pool: Pool;
  readonly close: () => Promise<void>;
}

export const oldestSupportedVersion = 15;

/** A pool that prepares what it runs again, and hands instants, days and money over as the text that PostgreSQL wrote. */
export function connect(
  connectionString: string,
  options: { max?: number; onError: (error: Error) => void },
): Connection {
  const pool = new Pool({ ...poolConfig(connectionString), max: options.max ?? 10 });
  let closing = false;
  // An idle connection that is lost is told by the pool and by the client: the same news once is enough.
  const tell = (error: Error) => {
    if (!closing) options.onError(error);
  };
  pool.on('error', tell);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const config = { pool: preparing(pool) as Pool, cursor: Cursor };
  const db = new Kysely<DB>({ dialect: new AmbientPostgresDialect(config) });
  return {
    db,
    apart: new Kysely<never>({ dialect: new PostgresDialect(config) }),
    pool,
    close: () => {
      closing = true;
      return db.destroy();
    },
  };
}

export function poolConfig(connectionString: string): PoolConfig {
  return {
    connectionString,
    application_name: 'foyer',
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: textTypes,
    options: '-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s',
  };
}

const oids = { int8: 20, date: 1082, timestamp: 1114, timestamptz: 1184, numeric: 1700 };
const asText = new Set<number>([oids.date, oids.timestamp, oids.timestamptz, oids.numeric]);

const textTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (asText.has(oid)) return (text: string) => text;
    if (oid === oids.int8) return Number;
    return types.getTypeParser(oid, format);
  },
};

/** Past this many different statements further ones run unnamed, so that no connection collects plans for ever. */
const namedStatements = 500;

/** As PostgreSQL takes them in one message: to prepare them would cost five, and there is nothing to plan. */
const bounds = new Set(['begin', 'commit', 'rollback']);

function preparing(pool: Pool): { connect(): Promise<unknown>; end(): Promise<void> } {
  const names = new Map<string, string>();
  const wrapped = new WeakMap<PoolClient, object>();
  function nameOf(text: string): string | undefined {
    let name = names.get(text);
    if (name === undefined && names.size < namedStatements) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return name;
  }
  return {
    async connect() {
      const client = await pool.connect();
      let prepared = wrapped.get(client);
      if (!prepared) {
        prepared = {
          query(statement: string | object, values?: unknown[]) {
            if (typeof statement !== 'string') return client.query(statement as never);
            if (bounds.has(statement)) return client.query(statement);
            const name = nameOf(statement);
            return client.query(
              name === undefined
                ? { text: statement, values: values ?? [] }
                : { name, text: statement, values: values ?? [] },
            );
          },
          release: (error?: boolean) => client.release(error),
        };
        wrapped.set(client, prepared);
      }
      return prepared;
    },
    end: () => pool.end(),
  };
}
