import {
  CompiledQuery,
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
  type UpdateObject,
} from 'kysely';
import { notFound } from '../platform/failures.ts';
import { newUuid, type Uuid } from '../platform/identity/identifier.ts';
import type { DB } from './tables.ts';

/** The tables whose rows have an id of their own. */
type RowTable = { [Table in keyof DB]: DB[Table] extends { id: unknown } ? Table : never }[keyof DB];

type Row<Table extends RowTable> = Selectable<DB[Table]>;

/** The statements for one row of a table, named by its id. `Found` is the row with narrower types of JSON columns. */
export interface RowStore<Table extends RowTable, Found = Row<Table>> {
  find(db: Kysely<DB>, id: Uuid): Promise<Found | undefined>;
  /** @throws 404 */
  require(db: Kysely<DB>, id: Uuid): Promise<Found>;
  /** Locks the row until the end of the transaction. */
  findAndLock(tx: Transaction<DB>, id: Uuid): Promise<Found | undefined>;
  /** Locks the row until the end of the transaction. @throws 404 */
  lock(tx: Transaction<DB>, id: Uuid): Promise<Found>;
  /** Other transactions can share the lock, but not change the row. */
  lockForShare(tx: Transaction<DB>, id: Uuid): Promise<Found | undefined>;
  /** Locks the rows whose `column` is `id`, in the order of their ids. */
  lockAllOf(tx: Transaction<DB>, column: keyof DB[Table] & string, id: Uuid): Promise<Found[]>;
  /** @param condition in SQL, with any `order by`, `limit` and `for update` after it */
  select(db: Kysely<DB>, condition: RawBuilder<unknown>): Promise<Found[]>;
  /** The first row of `select`. */
  selectFirst(db: Kysely<DB>, condition: RawBuilder<unknown>): Promise<Found | undefined>;
  insert(tx: Kysely<DB>, row: Insertable<DB[Table]>): Promise<Found>;
  /** @returns null if a unique value is taken; the transaction stays usable */
  insertUnlessTaken(tx: Kysely<DB>, row: Insertable<DB[Table]>): Promise<Found | null>;
  /** @returns the row after the update */
  store(tx: Kysely<DB>, id: Uuid, changes: UpdateObject<DB, Table>): Promise<Found>;
  /** Changes all rows that meet the condition, locked in the order of their ids. @returns the rows after the update */
  storeWhere(tx: Kysely<DB>, condition: RawBuilder<unknown>, changes: UpdateObject<DB, Table>): Promise<Found[]>;
  remove(tx: Kysely<DB>, id: Uuid): Promise<void>;
}

interface RowStoreOptions {
  /** `no key update` does not wait for rows that refer to this one. */
  readonly lock?: 'update' | 'no key update';
}

/** @param noun names the row in the message of a 404 */
export function rowStore<Table extends RowTable, Found = Row<Table>>(
  table: Table,
  noun: string,
  { lock = 'update' }: RowStoreOptions = {},
): RowStore<Table, Found> {
  // Kysely has no types for a table that is a parameter. Every table here has an id, like this one.
  const name = table as 'rooms';
  // Raw text, because building a query each time is measurable at thousands of reads per second.
  const selectById = `select * from "${table}" where "id" = $1`;
  const readFirst = async (db: Kysely<DB>, text: string, id: Uuid) =>
    (await db.executeQuery<Row<'rooms'>>(CompiledQuery.raw(text, [id]))).rows[0];
  const store: RowStore<'rooms'> = {
    find: (db, id) => readFirst(db, selectById, id),
    require: async (db, id) => rowOrNotFound(await store.find(db, id), noun),
    findAndLock: (tx, id) => readFirst(tx, `${selectById} for ${lock}`, id),
    lock: async (tx, id) => rowOrNotFound(await store.findAndLock(tx, id), noun),
    lockForShare: (tx, id) => readFirst(tx, `${selectById} for share`, id),
    lockAllOf: (tx, column, id) =>
      tx.selectFrom(name).selectAll().where(column, '=', id).orderBy('id').forUpdate().execute(),
    select: async (db, condition) =>
      (await sql<Row<'rooms'>>`select * from ${sql.table(name)} where ${condition}`.execute(db)).rows,
    selectFirst: async (db, condition) => (await store.select(db, condition))[0],
    insert: (tx, row) => tx.insertInto(name).values(row).returningAll().executeTakeFirstOrThrow(),
    insertUnlessTaken: async (tx, row) => {
      const insert = tx
        .insertInto(name)
        .values(row)
        .onConflict((conflict) => conflict.doNothing());
      return (await insert.returningAll().executeTakeFirst()) ?? null;
    },
    store: (tx, id, changes) =>
      tx.updateTable(name).set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
    storeWhere: (tx, condition, changes) => {
      const locked = sql`select id from ${sql.table(name)} where ${condition} order by id for no key update`;
      return tx
        .updateTable(name)
        .set(changes)
        .where(sql<boolean>`id in (${locked})`)
        .returningAll()
        .execute();
    },
    async remove(tx, id) {
      await tx.deleteFrom(name).where('id', '=', id).execute();
    },
  };
  return store as unknown as RowStore<Table, Found>;
}

/** The id and times of a new row. */
export function newRow(now: string) {
  return { id: newUuid(), created_at: now, updated_at: now };
}

/** Reads a row that belongs to a row of another table. @throws 404 */
type RequireIn<Table extends RowTable> = (db: Kysely<DB>, parentId: Uuid, id: Uuid) => Promise<Row<Table>>;

/** @param parent the column with the id of the other row */
export function requireIn<Table extends RowTable>(
  table: Table,
  parent: keyof DB[Table] & string,
  noun: string,
): RequireIn<Table> {
  const name = table as 'rooms';
  return async (db, parentId, id) => {
    const inParent = db
      .selectFrom(name)
      .selectAll()
      .where('id', '=', id)
      .where(parent as 'account_id', '=', parentId);
    return rowOrNotFound(await inParent.executeTakeFirst(), noun) as unknown as Row<Table>;
  };
}

/** @throws 404 */
export function rowOrNotFound<Value>(row: Value | undefined, noun: string): Value {
  if (row === undefined) throw notFound(`The ${noun} was not found.`);
  return row;
}

/** @returns how many rows the statement changed */
export async function executeAndCount(db: Kysely<DB>, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0);
}

/**
 * Deletes rows, except those that another process has locked.
 * @param condition in SQL, with any `order by` and `limit` after it
 * @returns how many
 */
export async function removeUnlocked(db: Kysely<DB>, table: keyof DB, condition: RawBuilder<unknown>): Promise<number> {
  const unlocked = sql`select ctid from ${sql.table(table)} where ${condition} for update skip locked`;
  return await executeAndCount(db, sql`delete from ${sql.table(table)} where ctid = any(array(${unlocked}))`);
}

/** @param condition in SQL, such as `exists(…)` */
export async function isTrue(db: Kysely<DB>, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ answer: boolean | null }>`select ${condition} as answer`.execute(db);
  return rows[0]?.answer === true;
}
