import type { unusableReasons } from '@foyer/contract/resources/subscriptions/subscription.ts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import type { SubscriptionRow } from '../store.ts';

export type UnusableReason = (typeof unusableReasons)[number];

/** An expression: why a row of `subscriptions` is not usable today; null if it is usable. */
export function unusableReasonOn(today: CalendarDate): RawBuilder<unknown> {
  return sql`(case when not ${isUsableByItself('subscriptions', today)} then 'subscription' else ${inheritedReasonOn(today)} end)`;
}

/** The reasons that come from a parent subscription or the customer, by subscription id. */
export async function findInheritedReasons(
  db: Kysely<never>,
  rows: readonly Pick<SubscriptionRow, 'id'>[],
  today: CalendarDate,
): Promise<Map<Uuid, Exclude<UnusableReason, 'subscription'>>> {
  const reasons = await sql<{ id: Uuid; reason: Exclude<UnusableReason, 'subscription'> }>`
    select * from (select id, ${inheritedReasonOn(today)} as reason from subscriptions
      where id = any(${idsOf(rows)}::uuid[])) inherited
    where reason is not null
  `.execute(db);
  return new Map(reasons.rows.map(({ id, reason }) => [id, reason]));
}

function inheritedReasonOn(today: CalendarDate): RawBuilder<unknown> {
  return sql`(case
    when subscriptions.ancestors <> '{}' and exists(select from subscriptions parent
      where parent.id = any(subscriptions.ancestors) and not ${isUsableByItself('parent', today)}) then 'parent-subscription'
    when not exists(select from customers subscriber
      where subscriber.id = subscriptions.subscriber_id and subscriber.effective_status in ('active', 'suspended'))
      then 'customer'
  end)`;
}

function isUsableByItself(alias: string, today: CalendarDate): RawBuilder<unknown> {
  return sql`coalesce(${sql.ref(`${alias}.usable_until`)} >= ${today}, false)`;
}
