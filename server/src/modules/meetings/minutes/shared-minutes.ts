import { groupBy } from '../../../platform/group-by.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { begunMinutes } from '../participants/entry-store.ts';
import { computeMinuteEnds, type RunningStay } from './minute-ends.ts';
import { isLimit, usedMinutesColumn } from './minute-store.ts';

/** A meeting whose minutes will soon be used up by the known participants. */
export interface EndingMeeting {
  readonly id: Uuid;
  readonly service_provider_id: Uuid;
  readonly provider_meeting_id: string;
  /** When the meeting must end, in milliseconds since 1970; in the past if it should have ended. */
  readonly endMs: number;
  /** When the meeting must be checked: at the end, or earlier if participants with a reserved slot may have joined. */
  readonly checkMs: number;
  /** Until when a process has a lease on the meeting. */
  readonly claimedMs: number;
  /** Minutes beyond the limit that all participants who share it have begun by now. */
  readonly excessMinutes: number;
}

/** If fewer minutes than this are left per participant, the end of each meeting is computed to the millisecond. */
const nearMinutes = 3;

interface SharingMeeting {
  /** The subscription whose minutes are limited: that of the meeting or one above it. */
  readonly bearer_id: Uuid;
  /** The limit minus the charged minutes. */
  readonly left: number;
  readonly id: Uuid;
  readonly service_provider_id: Uuid | null;
  readonly provider_meeting_id: string;
  /** Whether an encoder broadcasts, so that the session can continue without participants. */
  readonly is_broadcast: boolean;
  readonly claimed_ms: number | null;
  /** The charged minutes of current participants. */
  readonly charged: number;
  /** The join times of current participants, in milliseconds since 1970. */
  readonly stays: readonly number[];
  /** The earliest possible join times of participants with a reserved slot, in milliseconds since 1970. */
  readonly awaited: readonly number[];
}

/** The meetings whose minutes will be used up within about `nearMinutes` minutes. */
export async function findEndingMeetings(
  db: Database,
  { now, today, nowMs }: { readonly now: string; readonly today: string; readonly nowMs: number },
): Promise<EndingMeeting[]> {
  const rows = await findSharingMeetings(db, now, today);
  const endings = new Map<Uuid, EndingMeeting>();
  for (const meetings of groupBy(rows, (row) => row.bearer_id).values()) {
    for (const ending of endsOf(meetings, nowMs)) {
      const other = endings.get(ending.id);
      endings.set(ending.id, {
        ...ending,
        endMs: Math.min(ending.endMs, other?.endMs ?? ending.endMs),
        checkMs: Math.min(ending.checkMs, other?.checkMs ?? ending.checkMs),
        excessMinutes: Math.max(ending.excessMinutes, other?.excessMinutes ?? 0),
      });
    }
  }
  return [...endings.values()];
}

/** The ends of the meetings that share the minutes of one subscription. */
function endsOf(meetings: readonly SharingMeeting[], nowMs: number): EndingMeeting[] {
  const left = meetings[0]?.left ?? 0;
  const minutes = meetings.reduce((sum, { charged }) => sum + charged, left);
  const joinsOf = (kind: 'stays' | 'awaited'): RunningStay[] =>
    meetings.flatMap((meeting) => meeting[kind].map((sinceMs) => ({ meeting: meeting.id, sinceMs })));
  const stays = joinsOf('stays');
  const awaited = joinsOf('awaited');
  // Each reserved slot reserves a minute: its participant may have joined since the last check.
  const ends = computeMinuteEnds(minutes - awaited.length, stays);
  const checks = computeMinuteEnds(minutes, [...stays, ...awaited]);
  const used = stays.reduce((sum, { sinceMs }) => sum + Math.max(1, Math.ceil((nowMs - sinceMs) / 60_000)), 0);
  return meetings.flatMap(({ id, service_provider_id: providerId, provider_meeting_id: name, ...meeting }) => {
    const isEmpty = !meeting.is_broadcast && meeting.stays.length + meeting.awaited.length === 0;
    const endMs = isEmpty && left <= 0 ? nowMs : (ends.get(id) ?? Infinity);
    const checkMs = Math.min(endMs, checks.get(id) ?? Infinity);
    if (providerId === null || checkMs === Infinity) return [];
    const excessMinutes = Math.max(0, used - minutes);
    const claimedMs = meeting.claimed_ms ?? 0;
    return [
      { id, service_provider_id: providerId, provider_meeting_id: name, endMs, checkMs, claimedMs, excessMinutes },
    ];
  });
}

async function findSharingMeetings(db: Database, now: string, today: string): Promise<SharingMeeting[]> {
  const { rows } = await sql<SharingMeeting>`
    with running as (
      select meeting.id, bearer.id as bearer_id, feature.value::bigint - ${usedMinutesColumn(today)} as left, entries.count,
        ceil(date_part('epoch', ${now}::timestamptz - meeting.updated_at) / 60) as age
      from meetings meeting
      join subscriptions subscription on subscription.id = meeting.subscription_id
      cross join lateral unnest(subscription.ancestors || subscription.id) bearer(id)
      join subscription_features feature on feature.subscription_id = bearer.id and ${isLimit}
      join subscription_usages usage on usage.subscription_feature_id = feature.id
      cross join lateral (
        select count(*) as count from room_entries entry where entry.meeting_id = meeting.id and entry.left_at is null
      ) entries
      where meeting.state <> 'ended'
    ), near as (
      select bearer_id from running group by bearer_id
      having min(running.left) <= sum(running.count * (greatest(running.age, 0) + ${nearMinutes}))
    )
    select running.bearer_id, running.left, meeting.id, meeting.service_provider_id, meeting.provider_meeting_id,
      meeting.room_type in ('live', 'simulcast') as is_broadcast,
      ${msOf(sql`claim.claimed_until`)} as claimed_ms,
      meeting.participant_minutes - entries.left_minutes as charged, entries.stays, entries.awaited
    from running
    join near using (bearer_id)
    join meetings meeting on meeting.id = running.id
    left join minute_claims claim on claim.meeting_id = meeting.id
    left join provider_polls poll on poll.service_provider_id = meeting.service_provider_id
    cross join lateral (
      select
        coalesce(sum(${begunMinutes(now)}) filter (where entry.joined_at is not null and entry.left_at is not null), 0)::bigint
          as left_minutes,
        coalesce(jsonb_agg(${msOf(earliestJoin)}) filter (where entry.joined_at is not null and entry.left_at is null), '[]')
          as stays,
        coalesce(jsonb_agg(${msOf(sql`greatest(entry.created_at, meeting.observed_at, poll.looked_at)`)})
          filter (where entry.joined_at is null and entry.left_at is null), '[]') as awaited
      from room_entries entry where entry.meeting_id = meeting.id
    ) entries
    order by meeting.id
  `.execute(db);
  return rows;
}

/** Without events of the provider, participants may have joined as soon as they were admitted. */
const earliestJoin = sql`case
  when poll.hook_id is null and entry.first_entry_id is null and entry.outsider_key is null
    then least(entry.joined_at, greatest(entry.created_at, entry.joined_at - interval '1 minute'))
  else entry.joined_at
end`;

function msOf(instant: ReturnType<typeof sql>) {
  return sql`floor(date_part('epoch', ${instant}) * 1000)`;
}

/** Leases the meetings that no other process has leased. */
export async function claimEnds(
  db: Database,
  ids: readonly Uuid[],
  { now, until }: { readonly now: string; readonly until: string },
): Promise<Set<Uuid>> {
  const { rows } = await sql<{ meeting_id: Uuid }>`
    with meeting as materialized (
      select id from meetings where id = any(${[...ids]}::uuid[]) order by id for key share
    )
    insert into minute_claims as claim (meeting_id, claimed_until)
    select id, ${until} from meeting order by id
    on conflict (meeting_id) do update set claimed_until = excluded.claimed_until where claim.claimed_until <= ${now}
    returning meeting_id
  `.execute(db);
  return new Set(rows.map(({ meeting_id: id }) => id));
}

/** Sets when the meetings may be leased again. */
export async function releaseEnds(db: Database, ids: readonly Uuid[], from: string): Promise<void> {
  await sql`
    with locked as materialized (
      select meeting_id from minute_claims where meeting_id = any(${[...ids]}::uuid[])
      order by meeting_id for no key update
    )
    update minute_claims claim set claimed_until = ${from} from locked where claim.meeting_id = locked.meeting_id
  `.execute(db);
}
