import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Outputs } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type OutputRow = Selectable<Outputs>;

/** @throws 404 */
export async function requireOutput(db: Database | Tx, roomId: Uuid, id: Uuid): Promise<OutputRow> {
  const row = await db
    .selectFrom('outputs')
    .selectAll()
    .where('id', '=', id)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
  if (!row) throw notFound('The output was not found.');
  return row;
}

/** @throws 404 */
export async function lockOutput(tx: Tx, roomId: Uuid, id: Uuid): Promise<OutputRow> {
  await sql`select from outputs where id = ${id} for update`.execute(tx);
  return await requireOutput(tx, roomId, id);
}

export async function outputsOfRoom(db: Database | Tx, roomId: Uuid): Promise<OutputRow[]> {
  return await db.selectFrom('outputs').selectAll().where('room_id', '=', roomId).orderBy('id').execute();
}

export async function lockOutputsOfRoom(tx: Tx, roomId: Uuid): Promise<OutputRow[]> {
  return await tx.selectFrom('outputs').selectAll().where('room_id', '=', roomId).orderBy('id').forUpdate().execute();
}

export async function insertOutput(tx: Tx, row: Insertable<Outputs>): Promise<OutputRow> {
  return await tx.insertInto('outputs').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeOutput(tx: Tx, id: Uuid, changes: Updateable<Outputs>): Promise<OutputRow> {
  return await tx.updateTable('outputs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function removeOutputs(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await tx
    .deleteFrom('outputs')
    .where('id', 'in', [...ids])
    .execute();
}
