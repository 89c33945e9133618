import { sql } from 'kysely';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { SubscriptionRow } from '../store.ts';

/** Locks a batch of active or canceled subscriptions that have expired, skipping those locked by other nodes. */
export async function lockDue(tx: Tx, today: string, limit: number): Promise<SubscriptionRow[]> {
  return await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', 'in', ['active', 'canceled'])
    .where('last_day', '<', today)
    // A package change that became due before the expiry comes first: its terms can move the expiry.
    .where((row) => row.or([row('status', '=', 'canceled'), row.not(row.exists(changeDueInTime()))]))
    .orderBy('last_day')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** The caller locks the rows. @returns the updated rows by id. */
export async function suspendAll(tx: Tx, ids: readonly Uuid[], now: string): Promise<Map<Uuid, SubscriptionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .updateTable('subscriptions')
    .set({ status: 'suspended', is_active: false, usable_until: null, out_of_use_since: now, updated_at: now })
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .returningAll()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** `expire` as a condition, for rows that the job has not suspended yet. */
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
