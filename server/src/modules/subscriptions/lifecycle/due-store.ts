import { sql } from 'kysely';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { SubscriptionRow } from '../store.ts';

/** Active or canceled subscriptions whose dates have passed, a bounded batch that no other node has. */
export async function lockDue(tx: Tx, today: string, limit: number): Promise<SubscriptionRow[]> {
  return await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('status', 'in', ['active', 'canceled'])
    .where('last_day', '<', today)
    // A package change that was due in time comes first: the terms of the new package decide when it expires.
    .where((row) => row.or([row('status', '=', 'canceled'), row.not(row.exists(changeDueInTime()))]))
    .orderBy('last_day')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** One statement for the batch, whose rows are locked. @returns them as they are now, by their keys. */
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

/** What the rule suspends on that day, before and after the job stored it. */
export function hasExpired(today: string) {
  return sql`(subscriptions.status in ('active', 'canceled') and subscriptions.last_day < ${today})`;
}

/** A package change whose day came while the subscription could be used. */
function changeDueInTime() {
  return sql`(
    select 1 from subscription_package_changes package_change
    where package_change.subscription_id = subscriptions.id and package_change.status = 'scheduled'
      and package_change.effective_at <= subscriptions.last_day
  )`;
}
