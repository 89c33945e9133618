import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { requireIn, rowStore } from '../../../database/row-store.ts';
import type { Outputs } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type OutputRow = Selectable<Outputs>;

export const { insert: insertOutput, store: storeOutput } = rowStore('outputs', 'output');

export const requireOutput = requireIn('outputs', 'room_id', 'output');

/** @throws 404 */
export async function lockOutput(tx: Tx, roomId: Uuid, id: Uuid): Promise<OutputRow> {
  await sql`select from outputs where id = ${id} for update`.execute(tx);
  return await requireOutput(tx, roomId, id);
}

export async function listOutputsOfRoom(db: Database | Tx, roomId: Uuid): Promise<OutputRow[]> {
  return await db.selectFrom('outputs').selectAll().where('room_id', '=', roomId).orderBy('id').execute();
}

export async function countOutputs(tx: Tx, roomId: Uuid): Promise<number> {
  return (await tx.selectFrom('outputs').select('id').where('room_id', '=', roomId).execute()).length;
}

export async function lockOutputsOfRoom(tx: Tx, roomId: Uuid): Promise<OutputRow[]> {
  return await tx.selectFrom('outputs').selectAll().where('room_id', '=', roomId).orderBy('id').forUpdate().execute();
}

export async function removeOutputs(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await tx
    .deleteFrom('outputs')
    .where('id', 'in', [...ids])
    .execute();
}
