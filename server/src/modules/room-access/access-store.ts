import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Change, Tx } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { CalendarDate } from '../../platform/time/calendar-date.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { CustomerStatus } from '../customers/index.ts';
import {
  insertEntryQuery,
  type MinutesLeft,
  minutesLeftColumn,
  maxUnchargedColumn,
  occupancyColumns,
  occupiedSlots,
  type ParticipantRow,
} from '../meetings/index.ts';
import { countUseSql, markCodeUsedSql, type RoomAccessCodeRow, type RoomRow } from '../rooms/index.ts';
import { lifecycleColumns, type LifecycleRow } from '../subscriptions/index.ts';

/** The columns of a subscription that access rules need. */
export interface AccessSubscription extends LifecycleRow {
  readonly id: Uuid;
  readonly name: string;
  readonly subscriber_id: Uuid;
  readonly ancestors: Uuid[];
}

export interface FeatureValue {
  readonly subscription_id: Uuid;
  readonly tag: string;
  readonly value: string;
  readonly used: number;
  readonly handed_down: number;
  /** A day. */
  readonly valid_until: string | null;
}

/** The current meeting of the room, and its provider. */
export interface CurrentMeeting {
  readonly id: Uuid;
  readonly state: string;
  readonly provider_meeting_id: string;
  readonly provider_created_at: number | null;
  /** An instant. */
  readonly observed_at: string | null;
  readonly provider: {
    readonly id: Uuid;
    readonly provider_name: string;
    readonly provider_type: string;
    readonly properties: Record<string, unknown>;
  } | null;
}

/** The statuses and dates that decide whether the room can be used. */
export interface AvailabilityRow {
  readonly account_status: string;
  readonly customer_status: CustomerStatus;
  /** The room's subscription, then its parents. */
  readonly subscription_chain: readonly [AccessSubscription, ...AccessSubscription[]];
}

export interface AccessRow extends AvailabilityRow, RoomRow {
  readonly customer_name: string;
  readonly customer_timezone: string;
  readonly values: readonly FeatureValue[];
  /** Features of parent subscriptions, to which minutes are charged as well. */
  readonly parent_minutes: readonly FeatureValue[];
  readonly codes: readonly (Pick<RoomAccessCodeRow, 'id' | 'code' | 'expires_at'> & { readonly role: RoomRole })[];
  readonly meeting: CurrentMeeting | null;
  /** Whether the subscription has a provider that is switched on. */
  readonly has_provider: boolean;
  /** The media server to which the encoder of a live or simulcast room sends. */
  readonly stream_provider_id: Uuid | null;
}

/** Everything about the room that access rules need, except the providers for a new meeting. */
export async function findAccess(db: Database, roomId: Uuid): Promise<AccessRow | undefined> {
  const { rows } = await sql<AccessRow>`
    select room.*, ${availabilityColumns}, coalesce(customer.company_name, customer.full_name) as customer_name,
      customer.timezone as customer_timezone,
      ${listOf(sql`${featureValues} where feature.subscription_id = room.subscription_id`)} as values,
      ${listOf(sql`${featureValues} where feature.subscription_id = any(subscription.ancestors)
        and feature.tag in ('participant_minutes', 'viewer_minutes')`)} as parent_minutes,
      ${listOf(sql`select id, code, role, expires_at from room_access_codes where room_id = room.id`)} as codes,
      (
        select jsonb_build_object('id', meeting.id, 'state', meeting.state,
          'provider_meeting_id', meeting.provider_meeting_id, 'provider_created_at', meeting.provider_created_at,
          'observed_at', meeting.observed_at,
          'provider', case when provider.id is not null then jsonb_build_object('id', provider.id,
            'provider_name', provider.provider_name, 'provider_type', provider.provider_type,
            'properties', provider.properties) end)
        from meetings meeting left join service_providers provider on provider.id = meeting.service_provider_id
        where meeting.room_id = room.id and meeting.state <> 'ended'
      ) as meeting,
      exists (
        select from subscription_providers attached
        join service_providers named on named.id = attached.service_provider_id
        join service_providers provider on provider.active and (provider.id = named.id
          or (provider.pool = named.pool and provider.service_type = named.service_type))
        where attached.subscription_id = room.subscription_id and attached.active
      ) as has_provider,
      (select service_provider_id from streams where streams.room_id = room.id) as stream_provider_id
    from ${accessTables} where room.id = ${roomId}
  `.execute(db);
  return rows[0];
}

/** The counts that show whether a slot is free. */
export interface OccupancyRow extends AvailabilityRow {
  readonly room_status: string;
  readonly inRoom: number;
  readonly inSubscription: number;
  readonly otherMeetings: number;
  readonly meeting_id: Uuid | null;
  /** The reservations for the room. */
  readonly reservations: number;
  /** The minutes left of each limit; null if minutes are not limited. */
  readonly minutes: readonly MinutesLeft[] | null;
  /** An upper bound of the minutes in the subscription that are not charged yet. */
  readonly uncharged: number;
  /** The connection limit of the database. */
  readonly connections: number;
}

/** Prevents deletion of the customer until the transaction ends. */
export async function lockCustomerForShare(tx: Tx, id: Uuid): Promise<void> {
  await sql`select from customers where id = ${id} for key share`.execute(tx);
}

/** Reads the current availability and occupancy. Locks subscription and room before the meeting, in lock order. */
export async function findOccupancy(
  tx: Tx,
  room: Pick<RoomRow, 'id' | 'subscription_id'>,
  { now, today }: { readonly now: string; readonly today: CalendarDate },
): Promise<OccupancyRow | undefined> {
  const { rows } = await sql<OccupancyRow>`
    with occupied as (${occupiedSlots(room.subscription_id, now)})
    select room.status as room_status, ${availabilityColumns}, counted.*,
      ${minutesLeftColumn(room.subscription_id, today)} as minutes,
      current_setting('max_connections')::int as connections
    from ${accessTables}
    cross join (
      select ${occupancyColumns(room.id)}, ${maxUnchargedColumn(now)} as uncharged,
        (array_agg(id) filter (where room_id = ${room.id}))[1] as meeting_id,
        coalesce(sum(awaited) filter (where room_id = ${room.id}), 0)::int as reservations
      from occupied
    ) counted
    where room.id = ${room.id}
    for key share of subscription, room
  `.execute(tx);
  return rows[0];
}

export interface SlotInput {
  readonly id: Uuid;
  readonly room: Pick<RoomRow, 'id' | 'customer_id' | 'subscription_id'>;
  readonly meetingId: Uuid;
  readonly role: RoomRole;
  readonly tokenId: Uuid | null;
  readonly expiresAt: string;
}

/** The token and access code whose use is counted. */
export interface UsedCredentials {
  readonly tokenId: Uuid | null;
  readonly codeId: Uuid | null;
}

/**
 * Inserts the entry with its event and audit entry, and counts the use of the token, in one statement, so that
 * concurrent entries cannot exceed the limit of a token. Locks the meeting first, like reconciliation.
 * @param use null if the use is counted later
 */
export async function insertSlot(
  { tx, now, actor, insertEventQueries }: Change,
  { id, room, meetingId, role, tokenId, expiresAt }: SlotInput,
  use: UsedCredentials | null,
): Promise<'admitted' | 'meeting-ended' | 'token-used-up' | 'token-unknown'> {
  const countedTokenId = use?.tokenId ?? null;
  const row = {
    id,
    room_id: room.id,
    meeting_id: meetingId,
    subscription_id: room.subscription_id,
    room_token_id: tokenId,
    user_id: actor.type === 'user' ? actor.id : null,
    role,
    expires_at: expiresAt,
    created_at: now,
  };
  // All members that the API prints, so that the event needs no further statement.
  const participant = {
    ...row,
    outsider_key: null,
    full_name: null,
    joined_at: null,
    left_at: null,
    stays: [],
    updated_at: now,
  } satisfies ParticipantRow & typeof row;
  const event = eventAbout('participant.admitted', id, { customerId: room.customer_id, after: participant });
  const { rows } = await sql<{ is_admitted: boolean; is_open: boolean; is_known: boolean }>`
    with locked_user as materialized (
      select from users where id = ${row.user_id}::uuid for key share
    ), open as materialized (
      -- The count forces PostgreSQL to lock the user before the meeting, as deletions of users do.
      select from meetings where id = ${meetingId} and state <> 'ended' and (select count(*) from locked_user) >= 0
      for key share
    ), used as (
      ${countedTokenId === null ? sql`select from open` : countUseSql(countedTokenId, now, sql`exists (select from open)`)}
    ), admitted as (${insertEntryQuery(row, sql`used`)}
    ), code as (${markCodeUsedSql(use?.codeId ?? null, now, sql`exists (select from admitted)`)}
    ), ${insertEventQueries(event, sql`admitted`)}
    select exists (select from admitted) as is_admitted, exists (select from open) as is_open,
      ${countedTokenId === null ? sql`true` : sql`exists (select from room_tokens where id = ${countedTokenId})`} as is_known
  `.execute(tx);
  const [outcome] = rows;
  if (outcome?.is_admitted) return 'admitted';
  if (!outcome?.is_open) return 'meeting-ended';
  return outcome.is_known ? 'token-used-up' : 'token-unknown';
}

const accessTables = sql`rooms room
  join subscriptions subscription on subscription.id = room.subscription_id
  join customers customer on customer.id = subscription.subscriber_id
  join accounts account on account.id = room.account_id`;

const chainColumns = sql.join(
  ['id', 'name', 'subscriber_id', 'ancestors', ...lifecycleColumns].map((name) => sql.ref(`chain.${name}`)),
);

const availabilityColumns = sql`account.status as account_status, customer.effective_status as customer_status,
  ${listOf(sql`select ${chainColumns} from subscriptions chain
    where chain.id = subscription.id or chain.id = any(subscription.ancestors)
    order by cardinality(chain.ancestors) desc`)} as subscription_chain`;

const featureValues = sql`select feature.subscription_id, tag, value, used, handed_down, valid_until
  from subscription_features feature
  join subscription_usages usage on usage.subscription_feature_id = feature.id`;

/** A column with all rows as a JSON list, in which days and instants are ISO 8601. */
function listOf(rows: ReturnType<typeof sql>) {
  return sql`coalesce((select jsonb_agg(to_jsonb(each)) from (${rows}) each), '[]')`;
}
