import type { unusableReasons } from '@foyer/contract/resources/subscription.ts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { SubscriptionRow } from '../store.ts';

export type UnusableReason = (typeof unusableReasons)[number];

/** What keeps a row of `subscriptions` from being used on that day; null where nothing does. */
export function unusableReasonOn(today: CalendarDate): RawBuilder<unknown> {
  return sql`(case when not ${isUsableByItself('subscriptions', today)} then 'subscription' else ${inheritedReasonOn(today)} end)`;
}

/** Of the rows, whatever they say themselves, what above them keeps them from being used. */
export async function findInheritedReasons(
  db: Kysely<never>,
  rows: readonly Pick<SubscriptionRow, 'id'>[],
  today: CalendarDate,
): Promise<Map<Uuid, Exclude<UnusableReason, 'subscription'>>> {
  const found = await sql<{ id: Uuid; reason: Exclude<UnusableReason, 'subscription'> }>`
    select * from (select id, ${inheritedReasonOn(today)} as reason from subscriptions
      where id = any(${rows.map(({ id }) => id)}::uuid[])) found
    where reason is not null
  `.execute(db);
  return new Map(found.rows.map(({ id, reason }) => [id, reason]));
}

function inheritedReasonOn(today: CalendarDate): RawBuilder<unknown> {
  return sql`(case
    when subscriptions.ancestors <> '{}' and exists(select from subscriptions above
      where above.id = any(subscriptions.ancestors) and not ${isUsableByItself('above', today)}) then 'parent-subscription'
    when not exists(select from customers subscriber
      where subscriber.id = subscriptions.subscriber_id and subscriber.effective_status in ('active', 'suspended'))
      then 'customer'
  end)`;
}

function isUsableByItself(alias: string, today: CalendarDate): RawBuilder<unknown> {
  return sql`coalesce(${sql.ref(`${alias}.usable_until`)} >= ${today}, false)`;
}
