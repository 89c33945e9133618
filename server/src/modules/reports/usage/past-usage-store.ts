import { sql } from 'kysely';
import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** Copies the usage of the room up to now, before it is deleted, so that the totals of past periods do not change. */
export async function keepUsageOfRoom({ tx, now }: Change, roomId: Uuid): Promise<void> {
  await sql`
    insert into past_usage
      (id, kind, customer_id, subscription_id, account_id, room_id, name, started_at, ended_at, size_bytes)
    select fact.id, fact.kind, fact.customer_id, fact.subscription_id, room.account_id, room.id, room.room_name,
      fact.started_at, greatest(fact.ended_at, fact.started_at), fact.size_bytes
    from rooms room cross join lateral (
      select entry.id, 'entry' as kind, meeting.customer_id, meeting.subscription_id, entry.joined_at as started_at,
        coalesce(entry.left_at, ${now}) as ended_at, 0::bigint as size_bytes
      from room_entries entry join meetings meeting on meeting.id = entry.meeting_id
      where meeting.room_id = room.id and entry.joined_at is not null
      union all
      select meeting.id, 'meeting', meeting.customer_id, meeting.subscription_id, meeting.started_at,
        coalesce(meeting.ended_at, ${now}), 0
      from meetings meeting where meeting.room_id = room.id and meeting.started_at is not null
      union all
      select recording.id, 'recording', recording.customer_id, recording.subscription_id, recording.created_at, coalesce(recording.deleted_at, ${now}),
        coalesce(recording.size_bytes, 0)
      from recordings recording where recording.room_id = room.id
      union all
      select room.id, 'room', room.customer_id, room.subscription_id, room.created_at, ${now}, 0
    ) fact
    where room.id = ${roomId}`.execute(tx);
}

export async function keepUsageOfAccount({ tx, now }: Change, accountId: Uuid): Promise<void> {
  await sql`
    insert into past_usage (id, kind, customer_id, subscription_id, account_id, name, started_at, ended_at)
    select id, 'account', subscriber_id, subscription_id, id, account_name, created_at, greatest(${now}, created_at)
    from accounts where id = ${accountId}`.execute(tx);
}
