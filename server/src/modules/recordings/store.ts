import type { Selectable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Recordings } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';

export type RecordingRow = Selectable<Recordings>;

/** @throws 404, also for one that was deleted */
export async function requireRecording(db: Database | Tx, id: Uuid): Promise<RecordingRow> {
  const row = await findRecording(db, id);
  if (!row) throw notFound('The recording was not found.');
  return row;
}

export async function findRecording(db: Database | Tx, id: Uuid): Promise<RecordingRow | undefined> {
  return await db
    .selectFrom('recordings')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
