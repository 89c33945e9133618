import { sql } from 'kysely';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { selectSubscriptions, storeSubscriptions, type SubscriptionRow } from '../store.ts';

/** Locks a batch of active or canceled subscriptions that have expired, skipping those locked by other nodes. */
export async function lockExpired(tx: Tx, today: string, limit: number): Promise<SubscriptionRow[]> {
  // A package change that became due before the expiry comes first: its terms can move the expiry.
  return await selectSubscriptions(
    tx,
    sql`${hasExpired(today)} and (status = 'canceled' or not exists ${changeDueInTime()})
      order by last_day limit ${limit} for update skip locked`,
  );
}

/** The caller locks the rows. @returns the updated rows by id. */
export async function suspendAll(tx: Tx, ids: readonly Uuid[], now: string): Promise<Map<Uuid, SubscriptionRow>> {
  const suspended = { status: 'suspended', is_active: false, usable_until: null, out_of_use_since: now } as const;
  const rows = await storeSubscriptions(tx, sql`id = any(${ids}::uuid[])`, { ...suspended, updated_at: now });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Subscriptions that are over, although the job `expire` has not suspended them yet: they count as unusable. */
export function hasExpired(today: string) {
  return sql`(subscriptions.status in ('active', 'canceled') and subscriptions.last_day < ${today})`;
}

/** Package changes that became due while the subscription was usable. */
function changeDueInTime() {
  return sql`(
    select 1 from subscription_package_changes package_change
    where package_change.subscription_id = subscriptions.id and package_change.status = 'scheduled'
      and package_change.effective_at <= subscriptions.last_day
  )`;
}

/** Locks the next subscription that renews itself and whose period has ended. */
export async function lockNextDueForRenewal(
  tx: Tx,
  today: string,
  afterId: Uuid | null,
): Promise<SubscriptionRow | undefined> {
  const [next] = await selectSubscriptions(
    tx,
    sql`status = 'active' and auto_renew and ends_at < ${today} and (${afterId}::uuid is null or id > ${afterId}::uuid)
      order by id limit 1 for update skip locked`,
  );
  return next;
}

/**
 * Marks and returns the subscriptions whose end is announced today: 14, 3 and 1 days before. An announcement is skipped
 * if the subscription was created later than that: one of 10 days has its first 3 days before its end.
 */
export async function markExpiring(
  tx: Tx,
  today: string,
  limit: number,
): Promise<(SubscriptionRow & { days_left: number })[]> {
  const { rows } = await sql<SubscriptionRow & { days_left: number }>`
    with ending as (
      select id, created_at, announced_end, announced_days, greatest(ends_at, trial_ends_at) as ends_on
      from subscriptions where status = 'active' and not auto_renew
        and greatest(ends_at, trial_ends_at) between ${today}::date and ${today}::date + 14
      union all
      select id, created_at, announced_end, announced_days, usable_until
      from subscriptions where status = 'canceled' and last_day between ${today}::date and ${today}::date + 14 and usable_until is not null
    ), step as (
      select *, ends_on - ${today}::date as days_left,
        case when ends_on - ${today}::date <= 1 then 1 when ends_on - ${today}::date <= 3 then 3 else 14 end as days
      from ending
    ), due as (
      select subscriptions.id, ends_on, days, days_left from step join subscriptions using (id)
      where (step.announced_end is distinct from ends_on or step.announced_days > days)
        and step.created_at::date <= ends_on - days
      order by subscriptions.id limit ${limit} for update of subscriptions skip locked
    )
    update subscriptions set announced_end = ends_on, announced_days = days from due
    where subscriptions.id = due.id returning subscriptions.*, due.days_left`.execute(tx);
  return rows;
}
