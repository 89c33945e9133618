import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { EventName } from '../../../events/event-names.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export interface OverstayingMeeting {
  readonly id: Uuid;
  readonly service_provider_id: Uuid | null;
  readonly provider_meeting_id: string;
  /** What ended it: `subscription-suspended`, `account-inactive`, `customer-terminated` and the like. */
  readonly reason: string;
}

/**
 * Meetings that go on although their subscription, account or customer has been out of use since before then. Nothing
 * is noted down when something goes out of use, and so there is nothing to take back when it is renewed in time.
 * What only its dates have ended counts from when the expiry was recorded. `id` narrows the answer to one meeting.
 */
export async function overstayingMeetings(db: Database, before: string, id?: Uuid): Promise<OverstayingMeeting[]> {
  const { rows } = await sql<OverstayingMeeting>`
    select meeting.id, meeting.service_provider_id, meeting.provider_meeting_id, stop.reason
    from meetings meeting
    join rooms room on room.id = meeting.room_id
    join accounts account on account.id = room.account_id
    join subscriptions subscription on subscription.id = meeting.subscription_id
    join customers customer on customer.id = meeting.customer_id
    cross join lateral (
      select 'subscription-' || case when sold.canceled_at is null then sold.status else 'canceled' end as reason,
        case when sold.canceled_now then sold.canceled_at
          else ${outOfUseSince(sql`sold.id`, 'subscription', ['active', 'canceled'])} end as since
      from subscriptions sold
      where sold.id = any(subscription.ancestors || subscription.id) and (sold.status in ('suspended', 'inactive', 'terminated')
        or (sold.status = 'canceled' and sold.canceled_now))
      union all
      select 'account-' || account.status, ${outOfUseSince(sql`account.id`, 'account', ['active'])} where account.status <> 'active'
      union all
      select 'customer-' || holder.status, ${outOfUseSince(sql`holder.id`, 'customer', ['active', 'suspended'])}
      from customers holder
      where holder.id = any(customer.ancestors || customer.id) and holder.status in ('inactive', 'terminated')
        and customer.effective_status in ('inactive', 'terminated')
      order by since
      limit 1
    ) stop
    where meeting.state = 'open' and stop.since <= ${before} and ${id === undefined ? sql`true` : sql`meeting.id = ${id}`}
    order by meeting.id
  `.execute(db);
  return rows;
}

/** The first change of the status after the last in which it could be used; what no event tells of any more is old. */
function outOfUseSince(
  id: RawBuilder<unknown>,
  kind: keyof typeof statusEvents,
  usable: readonly string[],
): RawBuilder<string> {
  const names = statusEvents[kind];
  return sql`(
    select coalesce(min(event.occurred_at), '-infinity') from events event
    where event.resource_id = ${id} and event.name = any(${names}) and event.payload ->> 'status' is not null
      and event.sequence > (
        select coalesce(max(former.sequence), 0) from events former
        where former.resource_id = ${id} and former.name = any(${names}) and former.payload ->> 'status' = any(${usable})
      )
  )`;
}

/** The events whose status is that of the resource itself; others tell that of what belongs to it. */
const statusEvents = {
  subscription: [
    'subscription.created',
    'subscription.updated',
    'subscription.renewed',
    'subscription.canceled',
    'subscription.uncanceled',
    'subscription.suspended',
  ],
  account: ['account.created', 'account.updated'],
  customer: ['customer.created', 'customer.updated'],
} as const satisfies Readonly<Record<string, readonly EventName[]>>;

/** Of the meetings that ran when their room was deleted only the event is left. */
export async function meetingsOfDeletedRooms(
  db: Database,
  since: string,
): Promise<{ service_provider_id: Uuid | null; provider_meeting_id: string }[]> {
  const { rows } = await sql<{ service_provider_id: Uuid | null; provider_meeting_id: string }>`
    select (payload ->> 'service_provider_id')::uuid as service_provider_id,
      payload ->> 'provider_meeting_id' as provider_meeting_id
    from events
    where name = 'meeting.ended' and payload ->> 'end_reason' = 'room-deleted' and occurred_at >= ${since}`.execute(db);
  return rows;
}
