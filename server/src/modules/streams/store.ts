import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Streams } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { Ingest, StreamInput } from '../../providers/media.ts';

export type StreamRow = Selectable<Streams>;

export interface PrintedStreamRow extends Omit<StreamRow, 'input'> {
  readonly input: StreamInput | null;
  readonly slug: string;
  readonly rtmp_url: string | null;
  readonly public_url: string | null;
  /** Only in answers that reveal it, otherwise null. */
  readonly key: string | null;
}

export async function findStream(db: Database | Tx, roomId: Uuid): Promise<StreamRow | undefined> {
  return await db.selectFrom('streams').selectAll().where('room_id', '=', roomId).executeTakeFirst();
}

export async function lockStream(tx: Tx, roomId: Uuid): Promise<StreamRow | undefined> {
  return await tx.selectFrom('streams').selectAll().where('room_id', '=', roomId).forNoKeyUpdate().executeTakeFirst();
}

/** The row with the columns that the API returns. */
export async function readPrintedStream(db: Database | Tx, roomId: Uuid): Promise<PrintedStreamRow | undefined> {
  const { rows } = await sql<PrintedStreamRow>`
    select ${printedStreamColumns} from ${printedStreamTables} where streams.room_id = ${roomId}
  `.execute(db);
  return rows[0];
}

export const printedStreamColumns = sql`streams.*, rooms.slug, stream_servers.rtmp_url, stream_servers.public_url,
  null as key`;
export const printedStreamTables = sql`streams
  join rooms on rooms.id = streams.room_id
  left join stream_servers on stream_servers.service_provider_id = streams.service_provider_id`;

/** Does nothing if the room has a stream. @returns the new row */
export async function insertStream(tx: Tx, row: Insertable<Streams>): Promise<StreamRow | undefined> {
  return await tx
    .insertInto('streams')
    .values(row)
    .onConflict((conflict) => conflict.column('room_id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function storeStream(tx: Tx, id: Uuid, changes: Updateable<Streams>): Promise<StreamRow> {
  return await tx.updateTable('streams').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Sets the media server for the next session. A running session stays on its media server. */
export async function storeServer(db: Database | Tx, id: Uuid, providerId: Uuid): Promise<void> {
  await db
    .updateTable('streams')
    .set({ service_provider_id: providerId })
    .where('id', '=', id)
    .where('state', '=', 'idle')
    .execute();
}

/** Whether the address for encoders was read from the media server since the instant. */
export async function isIngestKnown(db: Database, providerId: Uuid, since: string): Promise<boolean> {
  const row = await db
    .selectFrom('stream_servers')
    .select('service_provider_id')
    .where('service_provider_id', '=', providerId)
    .where('checked_at', '>=', since)
    .executeTakeFirst();
  return row !== undefined;
}

export async function storeIngest(db: Database, providerId: Uuid, ingest: Ingest, now: string): Promise<void> {
  await sql`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into stream_servers (service_provider_id, rtmp_url, public_url, checked_at)
    select id, ${ingest.rtmpUrl}, ${ingest.publicUrl}, ${now} from provider
    on conflict (service_provider_id) do update
      set rtmp_url = excluded.rtmp_url, public_url = excluded.public_url, checked_at = excluded.checked_at
  `.execute(db);
}

/** Streams that run or have a source, grouped by media server. */
export async function listActiveStreams(db: Database): Promise<Map<Uuid, StreamRow[]>> {
  const rows = await db
    .selectFrom('streams')
    .selectAll()
    .where('service_provider_id', 'is not', null)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('state', '<>', 'idle'),
        eb('source_url', 'is not', null),
        exists(
          selectFrom('stream_sessions')
            .select('stream_sessions.id')
            .whereRef('stream_sessions.room_id', '=', 'streams.room_id')
            .where('stream_sessions.state', '<>', 'ended'),
        ),
      ]),
    )
    .orderBy('id')
    .execute();
  const groups = new Map<Uuid, StreamRow[]>();
  for (const row of rows) {
    const { service_provider_id: id } = row;
    if (id !== null) groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return groups;
}
