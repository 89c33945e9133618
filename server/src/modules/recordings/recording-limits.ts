import { features } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { effectiveFeatures } from '../features/index.ts';

export type RecordingLimit = 'max_recordings' | 'max_storage';

/** The limits of the subscription and the room, and what is stored and expected. */
interface Figures {
  readonly room_features: Record<string, unknown>;
  /** The limits of the subscription, each with the resold amount. */
  readonly subscription_limits: Readonly<Record<string, { readonly value: string; readonly handed_down: number }>>;
  readonly recordings: number;
  readonly bytes: number;
  readonly room_recordings: number;
  readonly room_bytes: number;
  /**
   * Meetings in other rooms that may still produce a recording: running, or ended so recently that it is not listed
   * yet.
   */
  readonly expected: number;
}

/** How long after the end of a meeting its recording may still appear. A provider lists recordings once it processes them. */
const listedWithin = '5 minutes';

const gigabyte = 1_000_000_000;

/**
 * The limit of the room or its subscription that prevents recording; null if there is none. The result is exact only if
 * the caller has locked the slots of the subscription. The limit applies to new meetings; running recordings continue.
 */
export async function recordingLimitReached(
  db: Database | Tx,
  roomId: Uuid,
  now: string,
): Promise<RecordingLimit | null> {
  const figures = await loadFigures(db, roomId, now);
  return figures ? reachedLimit(figures) : null;
}

export function reachedLimit(figures: Figures): RecordingLimit | null {
  const used = { max_recordings: figures.recordings + figures.expected, max_storage: figures.bytes / gigabyte };
  const usedInRoom = { max_recordings: figures.room_recordings, max_storage: figures.room_bytes / gigabyte };
  const subscriptionValues = new Map(
    Object.entries(figures.subscription_limits).map(([tag, { value }]) => [tag, value]),
  );
  const roomValues = new Map(
    effectiveFeatures(features, subscriptionValues, figures.room_features).map((feature) => [
      feature.tag,
      feature.used,
    ]),
  );
  const isReached = (tag: RecordingLimit) => {
    const subscription = figures.subscription_limits[tag];
    const [roomLimit, subscriptionLimit] = [limitIn(roomValues.get(tag)), limitIn(subscription?.value)];
    const ownLimit =
      subscriptionLimit === null ? null : Math.max(0, subscriptionLimit - (subscription?.handed_down ?? 0));
    return (ownLimit !== null && used[tag] >= ownLimit) || (roomLimit !== null && usedInRoom[tag] >= roomLimit);
  };
  return (['max_recordings', 'max_storage'] as const).find(isReached) ?? null;
}

/** Null for unlimited. */
function limitIn(value: string | null | undefined): number | null {
  return value === null || value === undefined ? null : limitOf(value);
}

async function loadFigures(db: Database | Tx, roomId: Uuid, now: string): Promise<Figures | undefined> {
  const { rows } = await sql<Figures>`
    select room.room_features, coalesce(sold.values, '{}') as subscription_limits, stored.*, running.expected
    from rooms room
    left join lateral (
      select jsonb_object_agg(tag, jsonb_build_object('value', value, 'handed_down', handed_down)) as values
      from subscription_features feature
      join subscription_usages usage on usage.subscription_feature_id = feature.id
      where feature.subscription_id = room.subscription_id and tag in ('max_recordings', 'max_storage')
    ) sold on true
    cross join lateral (
      select count(*) filter (where is_recording) as recordings, coalesce(sum(bytes), 0)::bigint as bytes,
        count(*) filter (where is_recording and room_id = room.id) as room_recordings,
        coalesce(sum(bytes) filter (where room_id = room.id), 0)::bigint as room_bytes
      from (
        select room_id, size_bytes as bytes, true as is_recording from recordings
        where recordings.subscription_id = room.subscription_id and deleted_at is null
        union all
        select room_id, coalesce(stored_bytes, size_bytes), false from videos
        where videos.subscription_id = room.subscription_id
      ) files
    ) stored
    cross join lateral (
      select count(*) as expected from meetings meeting
      where meeting.subscription_id = room.subscription_id and meeting.room_id <> room.id and meeting.may_record
        and (meeting.ended_at is null or meeting.ended_at > ${now}::timestamptz - ${listedWithin}::interval)
        and not exists (select from recordings recording where recording.meeting_id = meeting.id)
    ) running
    where room.id = ${roomId}
  `.execute(db);
  return rows[0];
}
