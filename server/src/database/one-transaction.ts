import { CompiledQuery, type DatabaseConnection, type Driver, type Kysely, type TransactionSettings } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HeldQuery } from './prepared-connection.ts';

/** The transaction that surrounds a request. */
interface Ambient {
  connection: DatabaseConnection | null;
  /** How many callers hold the connection. */
  uses: number;
  /** How many transactions are nested; inner ones are savepoints. */
  depth: number;
  readonly afterCommit: (() => Promise<void> | void)[];
}

const ambient = new AsyncLocalStorage<Ambient>();

/**
 * Runs `act` so that every statement on `db` belongs to one transaction; transactions inside it become savepoints.
 * `act` must not wait for a provider or a mail server.
 */
export async function inOneTransaction<Schema, Outcome>(
  db: Kysely<Schema>,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  if (ambient.getStore()) return await act();
  const context: Ambient = { connection: null, uses: 0, depth: 0, afterCommit: [] };
  const outcome = await ambient.run(context, () => db.transaction().execute(act));
  for (const follow of context.afterCommit) await follow();
  return outcome;
}

/** Runs `follow` after the surrounding transaction has committed, or now if there is none. */
export async function afterCommit(follow: () => Promise<void> | void): Promise<void> {
  const context = ambient.getStore();
  if (context) context.afterCommit.push(follow);
  else await follow();
}

/** Gives all statements within `inOneTransaction` the same connection. */
export function shareConnections(driver: Driver): Driver {
  async function acquireIn(context: Ambient): Promise<DatabaseConnection> {
    context.uses += 1;
    return (context.connection ??= await driver.acquireConnection());
  }
  async function releaseIn(context: Ambient, connection: DatabaseConnection): Promise<void> {
    context.uses -= 1;
    if (context.uses > 0) return;
    context.connection = null;
    await driver.releaseConnection(connection);
  }
  return {
    init: () => driver.init(),
    destroy: () => driver.destroy(),
    acquireConnection() {
      const context = ambient.getStore();
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
      else await run(connection, `savepoint change_${depth}`, { isHeld: true });
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

function ownerOf(connection: DatabaseConnection): Ambient | null {
  const context = ambient.getStore();
  return context?.connection === connection ? context : null;
}

async function run(connection: DatabaseConnection, command: string, { isHeld = false } = {}): Promise<void> {
  const query: HeldQuery = { ...CompiledQuery.raw(command), isHeld };
  await connection.executeQuery(query);
}
