import { CompiledQuery, type DatabaseConnection, type Driver, type Kysely, type TransactionSettings } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { BufferedQuery } from './prepared-connection.ts';

/** The transaction of the current call of `inOneTransaction`. */
interface TransactionContext {
  connection: DatabaseConnection | null;
  /** How many callers have acquired the connection and not released it. */
  uses: number;
  /** How many transactions are nested; inner ones are savepoints. */
  depth: number;
  readonly afterCommit: (() => Promise<void> | void)[];
}

const currentContext = new AsyncLocalStorage<TransactionContext>();

/**
 * Runs `act` so that every statement on `db` belongs to one transaction; transactions inside it become savepoints.
 * `act` must not wait for a provider or a mail server.
 */
export async function inOneTransaction<Schema, Outcome>(
  db: Kysely<Schema>,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  if (currentContext.getStore()) return await act();
  const context: TransactionContext = { connection: null, uses: 0, depth: 0, afterCommit: [] };
  const outcome = await currentContext.run(context, () => db.transaction().execute(act));
  for (const callback of context.afterCommit) await callback();
  return outcome;
}

/** Runs `callback` after the commit of the current transaction, or now if there is none. */
export async function afterCommit(callback: () => Promise<void> | void): Promise<void> {
  const context = currentContext.getStore();
  if (context) context.afterCommit.push(callback);
  else await callback();
}

/** Gives all statements within `inOneTransaction` the same connection. */
export function shareConnections(driver: Driver): Driver {
  async function acquireIn(context: TransactionContext): Promise<DatabaseConnection> {
    context.uses += 1;
    return (context.connection ??= await driver.acquireConnection());
  }
  async function releaseIn(context: TransactionContext, connection: DatabaseConnection): Promise<void> {
    context.uses -= 1;
    if (context.uses > 0) return;
    context.connection = null;
    await driver.releaseConnection(connection);
  }
  return {
    init: () => driver.init(),
    destroy: () => driver.destroy(),
    acquireConnection() {
      const context = currentContext.getStore();
      return context ? acquireIn(context) : driver.acquireConnection();
    },
    releaseConnection(connection) {
      const context = ownerOf(connection);
      return context ? releaseIn(context, connection) : driver.releaseConnection(connection);
    },
    async beginTransaction(connection, settings: TransactionSettings) {
      const context = ownerOf(connection);
      const depth = context ? context.depth++ : 0;
      if (depth === 0) await driver.beginTransaction(connection, settings);
      else await run(connection, `savepoint change_${depth}`, { isBuffered: true });
    },
    async commitTransaction(connection) {
      const context = ownerOf(connection);
      const depth = context ? --context.depth : 0;
      if (depth === 0) await driver.commitTransaction(connection);
      else await run(connection, `release savepoint change_${depth}`);
    },
    async rollbackTransaction(connection) {
      const context = ownerOf(connection);
      const depth = context ? --context.depth : 0;
      if (depth === 0) await driver.rollbackTransaction(connection);
      else await run(connection, `rollback to savepoint change_${depth}`);
    },
  };
}

function ownerOf(connection: DatabaseConnection): TransactionContext | null {
  const context = currentContext.getStore();
  return context?.connection === connection ? context : null;
}

async function run(connection: DatabaseConnection, command: string, { isBuffered = false } = {}): Promise<void> {
  const query: BufferedQuery = { ...CompiledQuery.raw(command), isBuffered };
  await connection.executeQuery(query);
}
