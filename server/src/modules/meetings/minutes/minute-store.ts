import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { executeAndCount } from '../../../database/row-store.ts';
import type { Tx } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { begunMinutes } from '../participants/entry-store.ts';
import { lockSlots } from '../store.ts';

/** A running meeting whose minutes are limited, by its subscription or by one above it. */
export interface LimitedMeeting {
  readonly id: Uuid;
  readonly service_provider_id: Uuid;
  readonly provider_meeting_id: string;
  /** The minutes that are left of the limit that is reached first. */
  readonly left: number;
  /** Current participants in all meetings that share these minutes. */
  readonly participants: number;
  readonly is_warned: boolean;
  readonly locale: string | null;
}

interface PointInTime {
  readonly now: string;
  readonly today: string;
}

/** A column: the minutes used on that day; 0 if the period of the stored usage is over. */
export const usedMinutesColumn = (today: string) =>
  sql`case when usage.valid_until <= ${today}::date then 0 else usage.used end`;
export const isLimit = sql`feature.tag in ('participant_minutes', 'viewer_minutes') and feature.value ~ '^[0-9]{1,15}$'`;

/** The running meetings whose minutes are limited. */
export async function limitedMeetings(db: Database, today: string): Promise<LimitedMeeting[]> {
  const { rows } = await sql<LimitedMeeting>`
    with running as (
      select meeting.id, meeting.service_provider_id, meeting.provider_meeting_id, meeting.participant_count,
        meeting.minutes_warned_at, meeting.customer_id, bearer.id as bearer_id
      from meetings meeting
      join subscriptions subscription on subscription.id = meeting.subscription_id
      cross join lateral unnest(subscription.ancestors || subscription.id) bearer(id)
      where meeting.state = 'open' and meeting.service_provider_id is not null
    ), bearers as (
      select running.bearer_id, sum(running.participant_count)::int as participants,
        feature.value::bigint - ${usedMinutesColumn(today)} as left
      from running
      join subscription_features feature on feature.subscription_id = running.bearer_id and ${isLimit}
      join subscription_usages usage on usage.subscription_feature_id = feature.id
      group by running.bearer_id, feature.value, usage.valid_until, usage.used
    )
    select distinct on (running.id) running.id, running.service_provider_id, running.provider_meeting_id,
      bearers.left, bearers.participants, running.minutes_warned_at is not null as is_warned, customer.locale
    from running join bearers using (bearer_id)
    join customers customer on customer.id = running.customer_id
    order by running.id, bearers.left / greatest(bearers.participants, 1), bearers.left
  `.execute(db);
  return rows;
}

/** @returns false if the warning was already stored */
export async function recordWarning(db: Database, id: Uuid, now: string): Promise<boolean> {
  const isUnwarned = sql`id = ${id} and minutes_warned_at is null`;
  return (await executeAndCount(db, sql`update meetings set minutes_warned_at = ${now} where ${isUnwarned}`)) > 0;
}

/**
 * Whether no minute is left for one more participant, in the subscription or in one above it. Counts minutes that have
 * begun since the last charge, and one minute for each reserved slot.
 * @param onNearlyUsedUp called if one more participant could use them up within a minute
 */
export async function areMinutesUsedUp(
  tx: Tx,
  subscriptionId: Uuid,
  { now, today }: PointInTime,
  onNearlyUsedUp: () => void = () => undefined,
): Promise<boolean> {
  let rows = await findMinutesLeft(tx, subscriptionId, today);
  const parentRows = rows.filter(({ id }) => id !== subscriptionId);
  if (parentRows.length > 0) {
    // Joins that share minutes are serialized as well. Lower subscriptions are locked before higher ones.
    for (const { id } of parentRows) await lockSlots(tx, id);
    rows = await findMinutesLeft(tx, subscriptionId, today);
  }
  if (rows.length === 0) return false;
  if (rows.some(({ left }) => left <= 0)) return true;
  const upperBound = await findMaxUncharged(tx, idsOf(rows), now);
  if (rows.every(({ left }) => left > upperBound)) return false;
  onNearlyUsedUp();
  const { rows: begun } = await sql<{ id: Uuid; minutes: number }>`
    select bearer.id, sum(stays.minutes - meeting.participant_minutes)::bigint as minutes
    from unnest(${idsOf(rows)}::uuid[]) bearer(id)
    cross join lateral (
      select id from subscriptions where id = bearer.id
      union all
      select id from subscriptions where ancestors @> array[bearer.id] and ancestors <> '{}'
    ) subscription
    join meetings meeting on meeting.subscription_id = subscription.id and meeting.state <> 'ended'
    cross join lateral (
      select coalesce(sum(case when entry.joined_at is not null then ${begunMinutes(now)}
        when entry.left_at is null then 1 else 0 end), 0) as minutes
      from room_entries entry where entry.meeting_id = meeting.id
    ) stays
    group by bearer.id
  `.execute(tx);
  const uncharged = new Map(begun.map(({ id, minutes }) => [id, minutes]));
  return rows.some(({ id, left }) => left - (uncharged.get(id) ?? 0) <= 0);
}

export interface MinutesLeft {
  readonly id: Uuid;
  readonly left: number;
}

/** A `from` clause: the limits of minutes in the subscription and those above it, each with its usage. */
function limitsAt(subscriptionId: Uuid): RawBuilder<unknown> {
  return sql`from subscription_features feature
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    where ${isLimit} and feature.subscription_id in (
      select unnest(ancestors || id) from subscriptions where id = ${subscriptionId})`;
}

/** The minutes left in the subscription and those above it, the lowest subscription first. */
export async function findMinutesLeft(tx: Tx, subscriptionId: Uuid, today: string): Promise<MinutesLeft[]> {
  const { rows } = await sql<MinutesLeft>`
    select feature.subscription_id as id, feature.value::bigint - ${usedMinutesColumn(today)} as left
    ${limitsAt(subscriptionId)}
    order by (select cardinality(ancestors) from subscriptions where id = feature.subscription_id) desc
  `.execute(tx);
  return rows;
}

/**
 * A column over the occupied slots: an upper bound of the minutes that are not charged yet. Each write of a meeting
 * charges its minutes.
 */
export function maxUnchargedColumn(now: string): RawBuilder<unknown> {
  return sql`coalesce(sum(current * (ceil(date_part('epoch', ${now}::timestamptz - updated_at) / 60) + 1)), 0)::bigint`;
}

/** A column: the minutes that are left in the subscription and those above it. */
export function minutesLeftColumn(subscriptionId: Uuid, today: string): RawBuilder<unknown> {
  return sql`(
    select jsonb_agg(jsonb_build_object('id', feature.subscription_id, 'left', feature.value::bigint - ${usedMinutesColumn(today)}))
    ${limitsAt(subscriptionId)}
  )`;
}

/** Like `maxUnchargedColumn`, over several subscriptions and those below them. */
async function findMaxUncharged(tx: Tx, bearers: readonly Uuid[], now: string): Promise<number> {
  const { rows } = await sql<{ minutes: number }>`
    select coalesce(sum(awaited.count * (ceil(date_part('epoch', ${now}::timestamptz - meeting.updated_at) / 60) + 1)), 0)::bigint
      as minutes
    from (
      select id from subscriptions where id = any(${[...bearers]}::uuid[])
      union
      select id from subscriptions where ancestors && ${[...bearers]}::uuid[] and ancestors <> '{}'
    ) subscription
    join meetings meeting on meeting.subscription_id = subscription.id and meeting.state <> 'ended'
    cross join lateral (
      select count(*) as count from room_entries entry where entry.meeting_id = meeting.id and entry.left_at is null
    ) awaited
  `.execute(tx);
  return rows[0]?.minutes ?? 0;
}
