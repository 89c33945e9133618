import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { CompiledQuery, QueryResult } from 'kysely';
import { PreparedConnection } from '../src/database/prepared-connection.ts';

/** A statement that was sent to the database, and how many rows it returned; 0 for reads through a cursor. */
export interface RecordedStatement {
  readonly text: string;
  rows: number;
}

/**
 * Counts the statements that the process sends to the database during `act`, directly and for HTTP requests.
 * @throws if no statement was recorded, because a comparison of two such counts would always succeed.
 */
export async function countStatements(act: () => Promise<unknown>): Promise<number> {
  const { length } = await recordStatements(act);
  if (length === 0) throw new Error('No statement was recorded.');
  return length;
}

interface Origin {
  readonly statements: RecordedStatement[];
  /** True in code of the API that handles a request of the test. */
  readonly isInRequest: boolean;
}

const origin = new AsyncLocalStorage<Origin | undefined>();
/** The header of recorded requests. `fetch` adds it; requests on a bare socket set it themselves. */
export const recordedHeader = 'x-recorded-by-test';

/** Statements of concurrent jobs, timers and other requests are excluded. */
export async function recordStatements(act: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const statements: RecordedStatement[] = [];
  const { prototype } = PreparedConnection;
  const original = prototype.executeQuery;
  prototype.executeQuery = async function executeQuery<Row>(this: PreparedConnection, query: CompiledQuery) {
    const statement = { text: query.sql, rows: 0 };
    if (origin.getStore()?.statements === statements) statements.push(statement);
    const result = await original.call<PreparedConnection, [CompiledQuery], Promise<QueryResult<Row>>>(this, query);
    statement.rows = result.rows.length;
    return result;
  };
  const stopFollowing = followRequests(statements);
  try {
    await origin.run({ statements, isInRequest: false }, act);
  } finally {
    stopFollowing();
    prototype.executeQuery = original;
  }
  return statements;
}

/** The asynchronous context of a caller ends at the socket. A header continues it in the server. */
function followRequests(statements: RecordedStatement[]): () => void {
  const onRequestSent = (message: unknown) => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } };
    const caller = origin.getStore();
    if (caller?.statements === statements && !caller.isInRequest) request.addHeader(recordedHeader, '1');
  };
  const onRequestReceived = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    origin.enterWith(recordedHeader in request.headers ? { statements, isInRequest: true } : undefined);
  };
  subscribe('undici:request:create', onRequestSent);
  subscribe('http.server.request.start', onRequestReceived);
  return () => {
    unsubscribe('undici:request:create', onRequestSent);
    unsubscribe('http.server.request.start', onRequestReceived);
  };
}
