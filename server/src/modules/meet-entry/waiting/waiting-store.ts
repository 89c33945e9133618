import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** The rooms that have a running meeting. */
export async function runningAmong(db: Database, rooms: readonly Uuid[]): Promise<Uuid[]> {
  const rows = await db
    .selectFrom('meetings')
    .select('room_id')
    // One statement for any number of rooms, so that it stays prepared.
    .where(sql<boolean>`room_id = any(${[...rooms]}::uuid[])`)
    .where('state', '=', 'open')
    .execute();
  return rows.map(({ room_id }) => room_id);
}
