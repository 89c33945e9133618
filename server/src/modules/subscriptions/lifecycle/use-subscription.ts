import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Change, Tx } from '../../../events/change.ts';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { lifecycleOf } from './lifecycle-of-row.ts';
import { allowedMoves, isUsable } from './lifecycle.ts';
import { moveRefused } from './move-refused.ts';
import { lockSubscriptionForShare, selectSubscriptions, type SubscriptionRow } from '../store.ts';

/**
 * Locks the subscription for share before something is created in it.
 * @throws 422 naming `field` if there is no such subscription, 409 `subscription-not-usable` if it is not usable today.
 */
export async function lockSubscriptionForUse(
  { tx, today }: Change,
  id: Uuid,
  field = 'subscription_id',
): Promise<SubscriptionRow> {
  const row = await lockSubscriptionForShare(tx, id);
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  if (!isUsable(lifecycleOf(row), today)) {
    throw moveRefused(
      'subscription-not-usable',
      `The subscription cannot be used today: it is ${row.status} and its dates are ${row.starts_at} to ${row.ends_at}.`,
      allowedMoves(lifecycleOf(row), today),
    );
  }
  await requireUsableAncestors(tx, row, today);
  return row;
}

/** A resold subscription is usable only while all subscriptions above it are. @throws 409 */
async function requireUsableAncestors(tx: Tx, row: SubscriptionRow, today: Change['today']): Promise<void> {
  if (await areUsable(tx, row.ancestors, today)) return;
  throw moveRefused('subscription-not-usable', "The reseller's subscription cannot be used today.", []);
}

/** Whether the subscription of an account or a room is usable today. */
export async function isSubscriptionUsable(
  { db, clock, settings }: Dependencies,
  level: 'account' | 'room',
  id: Uuid,
): Promise<boolean> {
  const { rows } = await sql<{ id: Uuid; ancestors: Uuid[] }>`
    select id, ancestors from subscriptions
    where id = (select subscription_id from ${sql.table(`${level}s`)} where id = ${id})
  `.execute(db);
  const today = clock.today(settings().system_timezone);
  return await areUsable(
    db,
    rows.flatMap((row) => [row.id, ...row.ancestors]),
    today,
  );
}

export async function areUsable(db: Database | Tx, ids: readonly Uuid[], today: CalendarDate): Promise<boolean> {
  if (ids.length === 0) return true;
  const rows = await selectSubscriptions(db, sql`id = any(${[...ids]}::uuid[])`);
  return rows.every((row) => isUsable(lifecycleOf(row), today));
}
