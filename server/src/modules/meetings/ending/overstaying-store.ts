import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export interface OverstayingMeeting {
  readonly id: Uuid;
  readonly service_provider_id: Uuid | null;
  readonly provider_meeting_id: string;
  /** The end reason, such as `subscription-suspended`, `account-inactive`, or `customer-terminated`. */
  readonly reason: string;
}

/**
 * Finds running meetings whose subscription, account or customer has been out of use since `before`. A subscription
 * whose period is over is out of use from the time when the job suspends it. Sessions of media rooms end without a grace
 * period, also if only the room is inactive. With `id`, checks only this meeting.
 */
export async function findOverstayingMeetings(
  db: Database,
  { before, now }: { readonly before: string; readonly now: string },
  id?: Uuid,
): Promise<OverstayingMeeting[]> {
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
          else coalesce(sold.out_of_use_since, '-infinity') end as since
      from subscriptions sold
      where sold.id = any(subscription.ancestors || subscription.id) and (sold.status in ('suspended', 'inactive', 'terminated')
        or (sold.status = 'canceled' and sold.canceled_now))
      union all
      select 'account-' || account.status, coalesce(account.out_of_use_since, '-infinity') where account.status <> 'active'
      union all
      select 'customer-' || holder.status, coalesce(holder.out_of_use_since, '-infinity')
      from customers holder
      where holder.id = any(customer.ancestors || customer.id) and holder.status in ('inactive', 'terminated')
        and customer.effective_status in ('inactive', 'terminated')
      union all
      select 'room-inactive', '-infinity' where room.status = 'inactive' and room.room_type <> 'meet'
      order by since
      limit 1
    ) stop
    where meeting.state = 'open' and stop.since <= case when meeting.room_type = 'meet' then ${before}::timestamptz else ${now}::timestamptz end and ${id === undefined ? sql`true` : sql`meeting.id = ${id}`}
    order by meeting.id
  `.execute(db);
  return rows;
}
