import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { PreparedQuery, type PreparedStatements, type Statement, type TypeParsers } from './prepared-query.ts';
import type { TimedClient } from './timed-client.ts';
import type { PoolClient } from 'pg';

/** A query whose result the caller does not need. */
export interface BufferedQuery extends CompiledQuery {
  /** Sent together with the next statement of the connection, which fails if this one does. */
  readonly isBuffered?: boolean;
}

const noRows = { rows: [] };

/**
 * A connection of a pool that prepares each statement once. `begin` and buffered queries are sent with the statement that
 * follows them, in one round trip.
 */
export class PreparedConnection implements DatabaseConnection {
  readonly client: TimedClient & PoolClient;
  readonly #nameOf: (text: string) => string;
  readonly #types: TypeParsers;
  readonly #prepared: PreparedStatements = new Map();
  #buffered: Statement[] = [];

  constructor(client: TimedClient & PoolClient, nameOf: (text: string) => string, types: TypeParsers) {
    this.client = client;
    this.#nameOf = nameOf;
    this.#types = types;
  }

  async executeQuery<Row>(query: CompiledQuery | BufferedQuery): Promise<QueryResult<Row>> {
    const { sql: text, parameters: values } = query;
    const statement = { name: this.#nameOf(text), text, values };
    if (this.#canBuffer(query) && this.#prepared.has(statement.name)) {
      this.#buffered.push(statement);
      return noRows;
    }
    const buffered = this.#buffered;
    const hasBegin = buffered[0]?.text === 'begin';
    if (text.startsWith('rollback')) {
      // The buffered queries would be rolled back, so they are not sent.
      this.#buffered = [];
      if (hasBegin) return noRows;
    } else if (text === 'commit' && hasBegin && buffered.length === 1) {
      this.#buffered = [];
      return noRows;
    }
    const preparedQuery = new PreparedQuery(statement, this.#buffered, this.#prepared, this.#types);
    this.#buffered = [];
    this.client.query(preparedQuery);
    try {
      const { rows, tag } = await preparedQuery.result;
      return { rows: rows as Row[], ...affectedRows(tag) };
    } catch (error) {
      // Without its `begin`, the rest of the transaction must not run.
      if (hasBegin && preparedQuery.completedCount === 0) this.client.connection.stream.destroy();
      // The stack trace shows the caller instead of the socket.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  #canBuffer(query: CompiledQuery | BufferedQuery): boolean {
    return query.sql === 'begin' || ('isBuffered' in query && (query.isBuffered ?? false));
  }

  // Lists that may not fit into memory are read with SQL cursors.
  streamQuery(): never {
    throw new Error('Streams of rows are not supported.');
  }
}

const writeTag = /^(?:INSERT|UPDATE|DELETE|MERGE) (?:0 )?(\d+)$/;

function affectedRows(tag: string): { numAffectedRows?: bigint } {
  const count = writeTag.exec(tag)?.[1];
  return count === undefined ? {} : { numAffectedRows: BigInt(count) };
}
