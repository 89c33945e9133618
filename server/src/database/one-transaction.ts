import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  PostgresDialect,
  type TransactionSettings,
} from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The one connection of a request whose statements all belong to one transaction. */
interface Ambient {
  connection: DatabaseConnection | null;
  /** How many uses of the connection are open. */
  uses: number;
  /** How many transactions are open in each other. */
  depth: number;
  readonly afterCommit: (() => Promise<void> | void)[];
}

const ambient = new AsyncLocalStorage<Ambient>();

/**
 * Runs `act` so that every statement on `db`, in whatever function, is part of one transaction: what begins one inside
 * gets a savepoint. Nothing that waits for others (a provider, a mail server) may be run so.
 */
export async function inOneTransaction<Schema, Outcome>(
  db: Kysely<Schema>,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  if (ambient.getStore()) return await act();
  const own: Ambient = { connection: null, uses: 0, depth: 0, afterCommit: [] };
  const outcome = await ambient.run(own, () => db.transaction().execute(act));
  for (const follow of own.afterCommit) await follow();
  return outcome;
}

/** Runs `follow` once what is under way has committed: now, where no transaction surrounds the request. */
export async function afterCommit(follow: () => Promise<void> | void): Promise<void> {
  const own = ambient.getStore();
  if (own) own.afterCommit.push(follow);
  else await follow();
}

/** PostgreSQL, whose connections are shared by all statements of what `inOneTransaction` runs. */
export class AmbientPostgresDialect extends PostgresDialect {
  override createDriver(): Driver {
    return shareConnections(super.createDriver());
  }
}

function shareConnections(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    destroy: () => driver.destroy(),
    async acquireConnection() {
      const own = ambient.getStore();
      if (!own) return await driver.acquireConnection();
      own.uses += 1;
      return (own.connection ??= await driver.acquireConnection());
    },
    async releaseConnection(connection) {
      const own = ownerOf(connection);
      if (!own) return await driver.releaseConnection(connection);
      own.uses -= 1;
      if (own.uses > 0) return;
      own.connection = null;
      await driver.releaseConnection(connection);
    },
    async beginTransaction(connection, settings: TransactionSettings) {
      const own = ownerOf(connection);
      const depth = own ? own.depth++ : 0;
      if (depth === 0) await driver.beginTransaction(connection, settings);
      else await run(connection, `savepoint change_${depth}`);
    },
    async commitTransaction(connection) {
      const own = ownerOf(connection);
      const depth = own ? --own.depth : 0;
      if (depth === 0) await driver.commitTransaction(connection);
      else await run(connection, `release savepoint change_${depth}`);
    },
    async rollbackTransaction(connection) {
      const own = ownerOf(connection);
      const depth = own ? --own.depth : 0;
      if (depth === 0) await driver.rollbackTransaction(connection);
      else await run(connection, `rollback to savepoint change_${depth}`);
    },
  };
}

function ownerOf(connection: DatabaseConnection): Ambient | null {
  const own = ambient.getStore();
  return own?.connection === connection ? own : null;
}

async function run(connection: DatabaseConnection, command: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(command));
}
