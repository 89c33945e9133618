import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identifier.ts';

/** Those of the rooms in which a meeting is on. */
export async function runningAmong(db: Database, rooms: readonly Uuid[]): Promise<Uuid[]> {
  const rows = await db
    .selectFrom('meetings')
    .select('room_id')
    .where('room_id', 'in', [...rooms])
    .where('state', '=', 'open')
    .execute();
  return rows.map(({ room_id }) => room_id);
}
