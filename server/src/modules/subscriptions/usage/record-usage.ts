import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { sql } from 'kysely';
import type { Change, Tx } from '../../../events/change.ts';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { findOutdatedWindows } from './quotas.ts';
import { queryUsedFeatures, type UsedFeatureRow } from '../store.ts';
import { usageOf } from './usage-of-row.ts';
import { storeWindows } from './usage-store.ts';

export async function recordUsage(change: Change, subscriptionId: Uuid, tag: string, amount: number): Promise<void> {
  await recordUsages(change, [tag], new Map([[subscriptionId, amount]]));
}

/**
 * Adds to the usage of each subscription and of the subscriptions above it, even beyond the limit, because the use has
 * already happened. A negative amount corrects an earlier one, down to zero.
 * @param usedOn the day of the use, if not today; a window that has ended is not corrected.
 */
export async function recordUsages(
  change: Change,
  tags: readonly string[],
  amounts: ReadonlyMap<Uuid, number>,
  usedOn: CalendarDate | null = null,
): Promise<void> {
  const { tx, now, today } = change;
  const spent = [...amounts].filter(([, amount]) => amount !== 0);
  if (spent.length === 0) return;
  const rows = await lockUsages(
    tx,
    spent.map(([id]) => id),
    tags,
  );
  const sums = amountsWithAncestors(rows, new Map(spent));
  const changedRows = rows.filter(
    (row) => (sums.get(row.subscription_id) ?? 0) !== 0 && isInCurrentWindow(row, usedOn, today),
  );
  await storeWindows(tx, findOutdatedWindows(changedRows, today), now);
  await addToUsages(tx, changedRows, sums, now);
  for (const row of changedRows) {
    const before = usageOf(row, today).used + row.handed_down;
    const used = before + (sums.get(row.subscription_id) ?? 0);
    const limit = limitOf(row.value);
    if (limit !== null && before < limit && used >= limit)
      await change.react('limit.used-up', {
        subscriptionId: row.subscription_id,
        tag: row.tag,
        limit: row.value,
        used,
      });
  }
}

function isInCurrentWindow(row: UsedFeatureRow, usedOn: CalendarDate | null, today: CalendarDate): boolean {
  return usedOn === null || usageOf(row, usedOn).validUntil === usageOf(row, today).validUntil;
}

/**
 * Locks the usages of a feature in the subscriptions and in those above them, the lowest first. Callers that record usage of
 * several features lock all of them first, against deadlocks.
 */
export async function lockUsages(tx: Tx, ids: readonly Uuid[], tags: readonly string[]): Promise<UsedFeatureRow[]> {
  return await queryUsedFeatures(tx)
    .where('subscription_features.tag', 'in', tags)
    .where(
      sql<boolean>`subscription_features.subscription_id in (
        select unnest(ancestors || id) from subscriptions where id = any(${[...ids]}::uuid[]))`,
    )
    .orderBy(sql`cardinality(subscriptions.ancestors)`, 'desc')
    .orderBy('subscription_usages.id')
    .forUpdate('subscription_usages')
    .execute();
}

/** The amounts by subscription, added to each subscription above as well. */
function amountsWithAncestors(rows: readonly UsedFeatureRow[], spent: ReadonlyMap<Uuid, number>): Map<Uuid, number> {
  const sums = new Map<Uuid, number>();
  for (const { subscription_id: id, ancestors = [] } of rows) {
    const amount = spent.get(id);
    if (amount === undefined) continue;
    for (const subscriptionId of [id, ...ancestors]) sums.set(subscriptionId, (sums.get(subscriptionId) ?? 0) + amount);
  }
  return sums;
}

async function addToUsages(
  tx: Tx,
  rows: readonly UsedFeatureRow[],
  sums: ReadonlyMap<Uuid, number>,
  now: string,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update subscription_usages usage set used = greatest(0, usage.used + spent.amount), updated_at = ${now}
    from unnest(${rows.map(({ usage_id: id }) => id)}::uuid[],
      ${rows.map(({ subscription_id: id }) => sums.get(id) ?? 0)}::bigint[]) spent(usage_id, amount)
    where usage.id = spent.usage_id
  `.execute(tx);
}
