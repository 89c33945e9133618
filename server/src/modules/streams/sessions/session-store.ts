import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { rowStore } from '../../../database/row-store.ts';
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

export const {
  insert: insertSession,
  store: storeSession,
  remove: removeSession,
} = rowStore('stream_sessions', 'stream session');

/** Rooms whose encoder was admitted before the instant and has sent nothing yet. */
export async function listAbandonedAdmissions(db: Database, before: string): Promise<Uuid[]> {
  const { rows } = await sql<{ room_id: Uuid }>`
    select room_id from stream_sessions where state = 'admitted' and admitted_at <= ${before} order by id
  `.execute(db);
  return rows.map(({ room_id: id }) => id);
}
