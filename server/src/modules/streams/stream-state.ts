import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';

/** Why the room's source cannot be fetched, null while it can; undefined if the room fetches none. */
export async function findSourceError(db: Database, roomId: Uuid): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('streams')
    .select('source_error')
    .where('room_id', '=', roomId)
    .where('source_url', 'is not', null)
    .executeTakeFirst();
  return row?.source_error;
}

/** Why the room's last broadcast since the instant ended; null if it has not ended, or there was none. */
export async function findBroadcastEndReason(db: Database, roomId: Uuid, sinceMs: number): Promise<string | null> {
  const row = await db
    .selectFrom('stream_sessions')
    .select('end_reason')
    .where('room_id', '=', roomId)
    .where('ended_at', '>=', instantOfMicroseconds(sinceMs * 1000))
    .orderBy('ended_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.end_reason ?? null;
}
