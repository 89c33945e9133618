import {
  CompiledQuery,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { type ClientConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { shareConnections } from './one-transaction.ts';
import { asIs } from './prepared-query.ts';
import { PreparedConnection } from './prepared-connection.ts';
import type { DB } from './tables.ts';
import { TimedClient, type TimedClientConfig } from './timed-client.ts';

export type Database = Kysely<DB>;

export interface Connection {
  readonly db: Database;
  readonly pool: Pool;
  readonly limits: ConnectionLimits;
  /** A connection for several statements. The caller releases its client. */
  readonly take: () => Promise<PreparedConnection>;
  /** Replaces every connection: idle ones now, the others when they are released. */
  readonly replaceConnections: () => void;
  readonly close: () => Promise<void>;
}

/** Time limits of a connection, in milliseconds. */
export interface ConnectionLimits {
  /** Maximum duration of a statement. */
  readonly statementMs: number;
  /** Maximum wait of a statement for a lock; less than `statementMs`. */
  readonly lockMs: number;
  /** Maximum idle time within a transaction. */
  readonly idleInTransactionMs: number;
}

export interface ConnectOptions extends Partial<ConnectionLimits> {
  /** Maximum number of connections. */
  readonly max?: number;
  /** Maximum wait for a connection. */
  readonly waitMs?: number;
  /** Whether statements that run inside `inOneTransaction` use the connection of that transaction. */
  readonly joinsTransaction?: boolean;
  readonly onError: (error: Error) => void;
  /** Called when the server refuses a write because it is read-only. */
  readonly onReadOnly?: () => void;
}

export const oldestSupportedVersion = 15;

/** Limits of statements of requests. */
export const requestLimits: ConnectionLimits = { statementMs: 10_000, lockMs: 8000, idleInTransactionMs: 30_000 };

/**
 * The server cancels a statement after its time limit. If it does not, the client closes the connection after this
 * additional time.
 */
export const cancelMarginMs = 2000;

/** A pool that prepares its statements. Instants, days and money are returned as the text that PostgreSQL sends. */
export function connect(connectionString: string, options: ConnectOptions): Connection {
  const { max = 10, waitMs = 5000, joinsTransaction = true, onError, onReadOnly } = options;
  const {
    statementMs = requestLimits.statementMs,
    lockMs = requestLimits.lockMs,
    idleInTransactionMs = requestLimits.idleInTransactionMs,
  } = options;
  const limits = { statementMs, lockMs, idleInTransactionMs };
  const config: PoolConfig & TimedClientConfig = {
    ...connectionConfig(connectionString, limits),
    types: textTypes,
    max,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    Client: TimedClient as unknown as new () => TimedClient,
    ...(onReadOnly ? { onReadOnly } : {}),
  };
  const pool = new Pool(config);
  let isClosing = false;
  // Both the pool and the client report a lost idle connection; one report is enough.
  pool.on('error', (error: Error) => {
    if (!isClosing && !(error instanceof ReplacedConnection)) onError(error);
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  const driver = preparedConnectionsOf(pool);
  const db = new Kysely<DB>({ dialect: dialectOf(joinsTransaction ? shareConnections(driver) : driver) });
  return {
    db,
    pool,
    limits,
    take: async () => (await driver.acquireConnection()) as PreparedConnection,
    replaceConnections: createConnectionReplacer(pool),
    close: async () => {
      isClosing = true;
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
  };
}

/** The configuration of one connection; the server applies its limits from the start. */
export function connectionConfig(
  connectionString: string,
  { statementMs, lockMs, idleInTransactionMs }: ConnectionLimits,
): ClientConfig & Pick<TimedClientConfig, 'responseTimeoutMs'> {
  return {
    connectionString,
    application_name: 'foyer',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    responseTimeoutMs: statementMs + cancelMarginMs,
    options: [
      '-c timezone=UTC',
      `-c statement_timeout=${statementMs}`,
      `-c lock_timeout=${lockMs}`,
      `-c idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    ].join(' '),
  };
}

const oids = { int8: 20, date: 1082, timestamp: 1114, timestamptz: 1184, numeric: 1700 };
const pgTextParser = types.getTypeParser(types.builtins.TEXT);
const asText = new Set<number>([oids.date, oids.timestamp, oids.timestamptz, oids.numeric]);

const textTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (asText.has(oid)) return asIs;
    if (oid === oids.int8) return Number;
    const parser = types.getTypeParser(oid, format);
    // `PreparedConnection` recognizes `asIs`, and reads such columns without a call.
    return parser === pgTextParser ? asIs : parser;
  },
};

/** The maximum number of prepared statements of a connection. Further statements run unnamed. */
const maxNamedStatements = 500;

/** A `fetch` cannot be prepared: its text is the same for cursors with different columns. */
const fetchStatement = /^\s*fetch\b/i;

/** Names statements. Those that cannot be prepared, and those beyond the limit, have an empty name. */
function createStatementNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const existing = names.get(text);
    if (existing !== undefined) return existing;
    if (names.size >= maxNamedStatements || fetchStatement.test(text)) return '';
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** A driver with one `PreparedConnection` for each connection of the pool. */
function preparedConnectionsOf(pool: Pool): Driver {
  const nameOf = createStatementNames();
  const connections = new WeakMap<PoolClient, PreparedConnection>();
  return {
    init: async () => undefined,
    destroy: async () => undefined,
    async acquireConnection() {
      const client = await pool.connect();
      let connection = connections.get(client);
      if (!connection) {
        connection = new PreparedConnection(client as unknown as TimedClient & PoolClient, nameOf, textTypes);
        connections.set(client, connection);
      }
      return connection;
    },
    releaseConnection: async (connection) => (connection as PreparedConnection).client.release(),
    beginTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw('begin'))),
    commitTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw('commit'))),
    rollbackTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw('rollback'))),
  };
}

/** Kysely for PostgreSQL over this driver. */
export function dialectOf(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Ends an idle connection that is replaced on purpose, so it is not reported. */
class ReplacedConnection extends Error {}

/** Tracks the connections of the pool. @returns the function that replaces them all. */
function createConnectionReplacer(pool: Pool): () => void {
  const idle = new Set<PoolClient>();
  const used = new Set<PoolClient>();
  const old = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    idle.delete(client);
    used.add(client);
  });
  pool.on('release', (_error, client) => {
    used.delete(client);
    // `end` marks the client, so the pool removes it instead of reusing it.
    if (old.has(client)) void client.end();
    else idle.add(client);
  });
  pool.on('remove', (client) => {
    idle.delete(client);
    used.delete(client);
  });
  return () => {
    for (const client of used) old.add(client);
    for (const client of idle)
      client.connection.stream.destroy(new ReplacedConnection('The connection is being replaced.'));
  };
}
