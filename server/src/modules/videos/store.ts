import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore } from '../../database/row-store.ts';
import type { Videos } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { VideoState } from '../../providers/media.ts';

export type VideoRow = Omit<Selectable<Videos>, 'failure' | 'renditions' | 'captions'> &
  Pick<VideoState, 'failure' | 'renditions' | 'captions'>;

export const {
  find: findVideo,
  require: requireVideo,
  insert: insertVideo,
  store: storeVideo,
} = rowStore<'videos', VideoRow>('videos', 'video');

/** The caller has locked the rows. */
export async function removeVideos(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await sql`delete from videos where id = any(${[...ids]}::uuid[])`.execute(tx);
}

/** @throws 404 */
export async function lockVideo(tx: Tx, id: Uuid): Promise<VideoRow> {
  const [row] = await lockVideos(tx, [id]);
  if (!row) throw notFound('The video was not found.');
  return row;
}

/** Locks the existing videos after the rows that they refer to, in the lock order of deletions. */
export async function lockVideos(tx: Tx, ids: readonly Uuid[]): Promise<VideoRow[]> {
  const rooms = sql`select room_id from videos where id = any(${[...ids]}::uuid[])`;
  await sql`select from customers where id in (select customer_id from rooms where id in (${rooms}))
    order by id for key share`.execute(tx);
  await sql`select from subscriptions where id in (select subscription_id from rooms where id in (${rooms}))
    order by id for key share`.execute(tx);
  await sql`select from accounts where id in (select account_id from rooms where id in (${rooms}))
    order by id for key share`.execute(tx);
  await sql`select from rooms where id in (${rooms}) order by id for key share`.execute(tx);
  await lockProvidersOf(tx, sql`id = any(${[...ids]}::uuid[])`);
  const rows = await tx
    .selectFrom('videos')
    .selectAll()
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows as unknown as VideoRow[];
}

/** Locks the videos of a room, which the caller has locked. */
export async function lockVideosOfRoom(tx: Tx, roomId: Uuid): Promise<VideoRow[]> {
  await lockProvidersOf(tx, sql`room_id = ${roomId}`);
  const videos = tx.selectFrom('videos').selectAll().where('room_id', '=', roomId);
  return (await videos.orderBy('id').forUpdate().execute()) as unknown as VideoRow[];
}

async function lockProvidersOf(tx: Tx, condition: ReturnType<typeof sql>): Promise<void> {
  await sql`select from service_providers where id in (select service_provider_id from videos where ${condition})
    order by id for key share`.execute(tx);
}

export interface RoomVideos {
  readonly videos: number;
  readonly bytes: number;
}

export async function sumVideosOfRoom(tx: Tx, roomId: Uuid): Promise<RoomVideos> {
  const { rows } = await sql<RoomVideos>`
    select count(*) as videos, coalesce(sum(coalesce(stored_bytes, size_bytes)), 0)::bigint as bytes
    from videos where room_id = ${roomId}
  `.execute(tx);
  return rows[0] ?? { videos: 0, bytes: 0 };
}

/** The media server that has the videos of the room, or those other than `exceptVideoId`. */
export async function findProviderOfRoom(db: Database | Tx, roomId: Uuid, exceptVideoId: Uuid | null = null) {
  const { rows } = await sql<{ id: Uuid }>`
    select service_provider_id as id from videos where room_id = ${roomId} and id is distinct from ${exceptVideoId}::uuid limit 1
  `.execute(db);
  return rows[0]?.id ?? null;
}

export interface PlaylistVideo {
  readonly id: Uuid;
  readonly name: string;
  readonly description: string | null;
  readonly duration_seconds: number | null;
  readonly service_provider_id: Uuid;
  readonly has_poster: boolean;
  readonly poster_revision: number;
  readonly has_sprite: boolean;
  readonly captions: readonly { readonly language: string; readonly label: string }[];
}

/** The videos that viewers of the room can watch now, in order. */
export async function listPlayableVideos(db: Database | Tx, roomId: Uuid): Promise<PlaylistVideo[]> {
  const { rows } = await sql<PlaylistVideo>`
    select id, name, description, duration_seconds, service_provider_id, has_poster, poster_revision, has_sprite, captions
    from videos where room_id = ${roomId} and published and playable and state <> 'failed' order by sort_order, id
  `.execute(db);
  return rows;
}
