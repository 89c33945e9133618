import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { StreamSessions } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type SessionRow = Selectable<StreamSessions>;

/** The session of the room that has not ended; there is at most one. */
export async function lockCurrentSession(tx: Tx, roomId: Uuid): Promise<SessionRow | undefined> {
  return await tx
    .selectFrom('stream_sessions')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('state', '<>', 'ended')
    .forUpdate()
    .executeTakeFirst();
}

export async function findCurrentSession(db: Database | Tx, roomId: Uuid): Promise<SessionRow | undefined> {
  return await db
    .selectFrom('stream_sessions')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('state', '<>', 'ended')
    .executeTakeFirst();
}

export async function hasEnded(tx: Tx, roomId: Uuid, providerSessionId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('stream_sessions')
    .select('id')
    .where('room_id', '=', roomId)
    .where('provider_session_id', '=', providerSessionId)
    .where('state', '=', 'ended')
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertSession(tx: Tx, row: Insertable<StreamSessions>): Promise<SessionRow> {
  return await tx.insertInto('stream_sessions').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function storeSession(tx: Tx, id: Uuid, changes: Updateable<StreamSessions>): Promise<SessionRow> {
  return await tx
    .updateTable('stream_sessions')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeSession(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('stream_sessions').where('id', '=', id).execute();
}

/** Rooms whose admitted encoder has sent nothing since then. */
export async function abandonedAdmissions(db: Database, before: string): Promise<Uuid[]> {
  const { rows } = await sql<{ room_id: Uuid }>`
    select room_id from stream_sessions where state = 'admitted' and admitted_at <= ${before} order by id
  `.execute(db);
  return rows.map(({ room_id: id }) => id);
}
