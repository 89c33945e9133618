import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** How long a node leases removals. If the node is killed, another one claims them after the lease. */
const lease = "interval '5 minutes'";

interface StoredVideo {
  readonly id: Uuid;
  readonly service_provider_id: Uuid;
}

/** The job deletes the files on the media servers. */
export async function scheduleRemovals(tx: Tx, videos: readonly StoredVideo[], now: string): Promise<void> {
  await sql`
    insert into video_removals (video_id, service_provider_id, next_at, created_at)
    select id, provider_id, ${now}, ${now}
    from unnest(${videos.map(({ id }) => id)}::uuid[],
      ${videos.map(({ service_provider_id: id }) => id)}::uuid[]) removal(id, provider_id)
    order by id
    on conflict (video_id) do nothing
  `.execute(tx);
}

export interface Removal {
  readonly video_id: Uuid;
  readonly attempts: number;
}

/** Leases due removals. @param only the id of one video; null for all */
export async function claimRemovals(
  db: Database,
  providerId: Uuid,
  now: string,
  only: Uuid | null,
): Promise<Removal[]> {
  const { rows } = await sql<Removal>`
    update video_removals claimed
    set next_at = ${now}::timestamptz + ${sql.raw(lease)}, attempts = claimed.attempts + 1
    from (
      select video_id from video_removals where service_provider_id = ${providerId} and next_at <= ${now}
        and (${only}::uuid is null or video_id = ${only})
      order by next_at limit 100 for update skip locked
    ) due
    where claimed.video_id = due.video_id
    returning claimed.video_id, claimed.attempts
  `.execute(db);
  return rows;
}

export async function deleteRemoval(db: Database, videoId: Uuid): Promise<void> {
  await sql`delete from video_removals where video_id = ${videoId}`.execute(db);
}

export async function postponeRemoval(db: Database, videoId: Uuid, until: string): Promise<void> {
  await sql`update video_removals set next_at = ${until} where video_id = ${videoId}`.execute(db);
}

/** The media servers with videos that are not in a final state, with files to delete, or with videos to hide or show. */
export async function listMediaServersToPoll(db: Database, now: string): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select distinct service_provider_id as id from videos where state not in ('ready', 'failed')
    union
    select service_provider_id from video_removals where next_at <= ${now}
    union
    select service_provider_id from videos where published = hidden_on_server
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** The next videos by id that are not in a final state. */
export async function listUnfinishedVideos(
  db: Database,
  providerId: Uuid,
  after: Uuid | null,
  limit: number,
): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from videos
    where service_provider_id = ${providerId} and state not in ('ready', 'failed')
      and (${after}::uuid is null or id > ${after}::uuid)
    order by id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** The videos whose file did not arrive in time. */
export async function listExpiredUploads(db: Database, ids: readonly Uuid[], now: string): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from videos
    where id = any(${[...ids]}::uuid[]) and state in ('awaiting-upload', 'uploading') and upload_expires_at <= ${now}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** The videos whose last change to `published` has not reached the media server yet. */
export async function listVideosToHideOrShow(db: Database, providerId: Uuid): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from videos where service_provider_id = ${providerId} and published = hidden_on_server order by id
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** What the media server has to be told about the video; undefined if it knows. */
export async function findHiddenToSend(db: Database, id: Uuid): Promise<HiddenToSend | undefined> {
  const { rows } = await sql<HiddenToSend>`
    select service_provider_id, not published as is_hidden from videos where id = ${id} and published = hidden_on_server
  `.execute(db);
  return rows[0];
}

interface HiddenToSend {
  readonly service_provider_id: Uuid;
  readonly is_hidden: boolean;
}

export async function storeHiddenSent(db: Database, id: Uuid, isHidden: boolean): Promise<void> {
  await sql`update videos set hidden_on_server = ${isHidden} where id = ${id}`.execute(db);
}
