import { CompiledQuery, type DatabaseConnection, Kysely, sql } from 'kysely';
import { clientClosed } from '../platform/failures.ts';
import { withTimeout } from '../platform/time/with-timeout.ts';
import { cancelMarginMs, type Connection, dialectOf } from './connect.ts';
import type { Pools } from './pools.ts';

/** A read-only transaction on its own connection. All its statements see the same state. */
export interface Snapshot {
  readonly db: Kysely<never>;
  /** Cancels the running statements and releases the connection. A second call waits for the first. */
  close(): Promise<void>;
}

export interface SnapshotOptions {
  /** Aborted when the client has disconnected; closes the snapshot. */
  readonly signal: AbortSignal;
  /** How long one statement may run. */
  readonly statementMs?: number;
  /** Called once, when the connection is released or was not available. */
  readonly onClosed?: () => void;
}

export async function openSnapshot(
  { streams, separate: cancelPool }: Pick<Pools, 'streams' | 'separate'>,
  { signal, statementMs = streams.limits.statementMs, onClosed = () => undefined }: SnapshotOptions,
): Promise<Snapshot> {
  const connection = await streams.take().catch((error: unknown) => {
    onClosed();
    throw error;
  });
  const { client } = connection;
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;
  let backendPid = 0;
  const db = createDb({
    streamQuery: () => connection.streamQuery(),
    async executeQuery<Row>(query: CompiledQuery) {
      if (closing) throw signal.aborted ? clientClosed() : new Error('The snapshot is closed.');
      const result = connection.executeQuery<Row>(query);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
  });
  const close = () => (closing ??= end());
  async function end(): Promise<void> {
    let isUsable = running.size === 0 || (await stop(cancelPool, backendPid, Promise.allSettled(running)));
    // Restores the timeout of the pool.
    client.responseTimeoutMs = streams.limits.statementMs + cancelMarginMs;
    if (isUsable)
      isUsable = await connection.executeQuery(CompiledQuery.raw('rollback')).then(
        () => true,
        () => false,
      );
    client.release(!isUsable);
    onClosed();
  }
  signal.addEventListener('abort', () => void close(), { once: true });
  try {
    if (signal.aborted) throw clientClosed();
    client.responseTimeoutMs = statementMs + cancelMarginMs;
    await sql`start transaction isolation level repeatable read read only`.execute(db);
    const { rows } = await sql<{ pid: number }>`
      select pg_backend_pid() as pid, set_config('statement_timeout', ${String(statementMs)}, true),
        set_config('cursor_tuple_fraction', '1', true)`.execute(db);
    backendPid = rows[0]?.pid ?? 0;
  } catch (error) {
    await close();
    throw error;
  }
  return { db, close };
}

function createDb(connection: DatabaseConnection): Kysely<never> {
  const doNothing = async () => undefined;
  return new Kysely<never>({
    dialect: dialectOf({
      init: doNothing,
      destroy: doNothing,
      acquireConnection: async () => connection,
      releaseConnection: doNothing,
      beginTransaction: doNothing,
      commitTransaction: doNothing,
      rollbackTransaction: doNothing,
    }),
  });
}

/**
 * Waits briefly for the running statements, then cancels the first. The others fail with it, because they wait for it in
 * the same transaction.
 * @returns whether the connection can be used again. It cannot if the statements neither ended nor were canceled.
 */
async function stop(cancelPool: Connection, backendPid: number, statements: Promise<unknown>): Promise<boolean> {
  const settled = statements.then(() => true);
  if (await withTimeout(250, settled, () => false)) return true;
  await sql`select pg_cancel_backend(${backendPid}::int)`.execute(cancelPool.db).catch(() => undefined);
  return await withTimeout(5000, settled, () => false);
}
