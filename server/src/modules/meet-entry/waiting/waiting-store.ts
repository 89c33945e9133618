import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** The rooms that have a running meeting. */
export async function runningAmong(db: Database, rooms: readonly Uuid[]): Promise<Uuid[]> {
  // One statement for any number of rooms, so that it stays prepared.
  const running = sql<{ room_id: Uuid }>`
    select room_id from meetings where room_id = any(${[...rooms]}::uuid[]) and state = 'open'
  `;
  return (await running.execute(db)).rows.map(({ room_id }) => room_id);
}
