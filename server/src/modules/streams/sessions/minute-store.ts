import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export const minutesTag = 'stream_minutes';

interface CurrentTime {
  readonly now: string;
  readonly today: CalendarDate;
}

const isLimit = sql`feature.tag = ${minutesTag} and feature.value ~ '^[0-9]{1,15}$'`;

function minutesLeftOn(today: CalendarDate) {
  return sql`(feature.value::bigint - case when usage.valid_until <= ${today} then 0 else usage.used end)`;
}

/**
 * The minutes that are left for a session in the room, in its subscription and those above it, minus uncharged minutes
 * of other sessions. Null for unlimited. The caller locks the usages.
 */
export async function findMinutesLeft(
  tx: Tx,
  { roomId, subscriptionId }: { readonly roomId: Uuid; readonly subscriptionId: Uuid },
  { now, today }: CurrentTime,
): Promise<number | null> {
  const { rows } = await sql<{ left: number | null }>`
    select min(${minutesLeftOn(today)} - running.minutes)::bigint as left
    from subscription_features feature
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    cross join lateral (
      select coalesce(sum(case when session.state = 'admitted' then 1
        else greatest(0, ceil(date_part('epoch', ${now}::timestamptz - session.started_at) / 60) - session.minutes) end), 0) as minutes
      from stream_sessions session
      join subscriptions below on below.id = session.subscription_id
      where session.state <> 'ended' and session.room_id <> ${roomId}
        and (below.id = feature.subscription_id or below.ancestors @> array[feature.subscription_id])
    ) running
    where ${isLimit} and feature.subscription_id in (
      select unnest(ancestors || id) from subscriptions where id = ${subscriptionId})
  `.execute(tx);
  return rows[0]?.left ?? null;
}

/** A running session, and the remaining minutes of one limit, which it can share with other sessions. */
export interface LimitedSession {
  /** The subscription that has the limit: that of the session, or one above it. */
  readonly limiting_subscription_id: Uuid;
  /** Negative if more minutes were used than the limit allows. */
  readonly minutes_left: number;
  readonly room_id: Uuid;
  readonly service_provider_id: Uuid | null;
  readonly started_at: string;
  /** The minutes that were charged so far. */
  readonly minutes: number;
}

/** The running sessions whose minutes are limited, once for each limit. */
export async function listSessionsWithLimits(db: Database, today: CalendarDate): Promise<LimitedSession[]> {
  const { rows } = await sql<LimitedSession>`
    select limiting.id as limiting_subscription_id, ${minutesLeftOn(today)} as minutes_left, session.room_id, session.service_provider_id,
      session.started_at, session.minutes
    from stream_sessions session
    join subscriptions subscription on subscription.id = session.subscription_id
    cross join lateral unnest(subscription.ancestors || subscription.id) limiting(id)
    join subscription_features feature on feature.subscription_id = limiting.id and ${isLimit}
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    where session.state = 'live'
    order by session.id
  `.execute(db);
  return rows;
}
