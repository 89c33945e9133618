import { sql } from 'kysely';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import type { SubscriptionRow } from './store.ts';

/** Active or canceled subscriptions whose dates have passed, a bounded batch that no other node has. */
export async function lockDue(tx: Tx, today: string, limit: number): Promise<SubscriptionRow[]> {
  const active = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'active')
    .where(lastDay, '<', today)
    // The terms of another package hold from the day on which it came, however late somebody notices.
    .where((row) => row.not(row.exists(changeDueInTime(today))))
    .orderBy(lastDay)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (active.length === limit) return active;
  const canceled = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', '=', 'canceled')
    .where('cancels_at', '<', today)
    .orderBy('cancels_at')
    .limit(limit - active.length)
    .forUpdate()
    .skipLocked()
    .execute();
  return [...active, ...canceled];
}

/** One statement for the batch, whose rows are locked. @returns them as they are now, by their keys. */
export async function suspendAll(tx: Tx, ids: readonly Uuid[], now: string): Promise<Map<Uuid, SubscriptionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .updateTable('subscriptions')
    .set({ status: 'suspended', is_active: false, updated_at: now })
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .returningAll()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the dates of one that was not canceled have passed, as PostgreSQL counts. */
export function pastDates(today: string) {
  return sql`(${lastDay} < ${today})`;
}

/** What the rule suspends on that day, whether or not the job came to it; most rows are told by their period alone. */
export function hasExpired(today: string) {
  return sql`(subscriptions.status in ('active', 'canceled') and coalesce(subscriptions.cancels_at, subscriptions.ends_at) < ${today}
    and coalesce(subscriptions.cancels_at, ${lastDay}) < ${today})`;
}

/** A package change whose day has come while the subscription could be used. */
function changeDueInTime(today: string) {
  return sql`(
    select 1 from subscription_package_changes package_change
    where package_change.subscription_id = subscriptions.id and package_change.status = 'scheduled'
      and package_change.effective_at <= least(${today}::date, greatest(ends_at, ${graceEnd}, trial_ends_at))
  )`;
}

/** Where the grace ends, as PostgreSQL counts it; the rule decides again for each row. */
const graceEnd = sql<string>`(ends_at + make_interval(
  days => case grace_interval when 'day' then grace_period when 'week' then grace_period * 7 else 0 end,
  months => case grace_interval when 'month' then grace_period when 'year' then grace_period * 12 else 0 end))::date`;

/** The last day of use of an active one; an index knows it by this very expression. */
export const lastDay = sql<string>`greatest(${graceEnd}, trial_ends_at)`;
