import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, system, type Tx } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { storedResources, storedTags, type StoredTag } from './stored-usage.ts';
import { sumAllocations, findAllocationDrift, storeAllocations } from '../resale/allocation-store.ts';
import { requireSubscription, type UsedFeatureRow } from '../store.ts';
import { lockUsedFeatures } from './usage-store.ts';

/**
 * Recounts accounts, rooms, outputs, recordings and videos, corrects usages that drifted, and emits an event for each.
 * The first count takes no locks; only usages that seem to have drifted are locked and counted again.
 * @returns the number of corrected usages.
 */
export async function reconcileUsage(dependencies: Dependencies): Promise<number> {
  let correctedCount = 0;
  for (const { usage_id: usageId } of await findDrift(dependencies)) {
    if (await inTransaction(dependencies, system, (change) => correctUsage(change, usageId))) correctedCount += 1;
  }
  for (const parentId of await findAllocationDrift(dependencies.db)) {
    if (await inTransaction(dependencies, system, (change) => correctAllocations(change, parentId)))
      correctedCount += 1;
  }
  return correctedCount;
}

async function correctAllocations(change: Change, parentId: Uuid): Promise<boolean> {
  const rows = await lockUsedFeatures(change.tx, parentId);
  const counted = await sumAllocations(change.tx, parentId);
  const drifted = rows.filter(({ tag, handed_down: stored }) => stored !== (counted.get(tag) ?? 0));
  if (drifted.length === 0) return false;
  await storeAllocations(change.tx, parentId, change.now);
  const { subscriber_id: customerId } = await requireSubscription(change.tx, parentId);
  const figuresByTag = (figureOf: (row: UsedFeatureRow) => number) =>
    Object.fromEntries(drifted.map((row) => [`${row.tag} handed down`, figureOf(row)]));
  await change.emit(
    eventAbout('subscription.usage_reconciled', parentId, {
      customerId,
      before: figuresByTag(({ handed_down: stored }) => stored),
      after: figuresByTag(({ tag }) => counted.get(tag) ?? 0),
    }),
  );
  return true;
}

/** One statement, so that usages and counts come from the same snapshot. */
async function findDrift({ db }: Dependencies): Promise<{ usage_id: Uuid }[]> {
  const { rows } = await sql<{ usage_id: Uuid }>`
    with counted as (
      select 'max_rooms' as tag, subscription_id, count(*) as counted from rooms group by subscription_id
      union all
      select 'max_accounts', subscription_id, count(*) from accounts group by subscription_id
      union all
      select 'max_outputs', subscription_id, count(*) from outputs group by subscription_id
      union all
      ${storedResources}
    )
    select usage.id as usage_id
    from subscription_features feature
    join subscription_usages usage on usage.subscription_feature_id = feature.id
    left join counted on counted.subscription_id = feature.subscription_id and counted.tag = feature.tag
    where feature.tag = any(${countedTags}::text[]) and feature.resettable_period = 0
      and usage.used <> coalesce(counted.counted, 0)
    order by usage.id
  `.execute(db);
  return rows;
}

interface UsageRow {
  readonly subscription_id: Uuid;
  readonly subscriber_id: Uuid;
  readonly tag: CountedTag;
  readonly used: number;
}

/** Counts after it locks the usage, which every transaction that creates or deletes a counted resource also locks. */
async function correctUsage(change: Change, usageId: Uuid): Promise<boolean> {
  const { tx, now } = change;
  const { rows } = await sql<UsageRow>`
    select usage.subscription_id, subscription.subscriber_id, feature.tag, usage.used
    from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    join subscriptions subscription on subscription.id = usage.subscription_id
    where usage.id = ${usageId}
    for update of usage
  `.execute(tx);
  const [usage] = rows;
  if (!usage) return false;
  const counted = await recount(tx, usage.tag, usage.subscription_id);
  if (counted === usage.used) return false;
  await sql`update subscription_usages set used = ${counted}, updated_at = ${now} where id = ${usageId}`.execute(tx);
  await change.emit(
    eventAbout('subscription.usage_reconciled', usage.subscription_id, {
      customerId: usage.subscriber_id,
      before: { [usage.tag]: usage.used },
      after: { [usage.tag]: counted },
    }),
  );
  return true;
}

const countedTables = { max_accounts: 'accounts', max_rooms: 'rooms', max_outputs: 'outputs' } as const;
type CountedTag = keyof typeof countedTables | StoredTag;
const countedTags: readonly string[] = [...Object.keys(countedTables), ...storedTags];

async function recount(tx: Tx, tag: CountedTag, subscriptionId: Uuid): Promise<number> {
  const count =
    tag in countedTables
      ? sql`select count(*) as counted from ${sql.table(countedTables[tag as keyof typeof countedTables])} where subscription_id = ${subscriptionId}`
      : sql`select counted from (${storedResources}) stored where tag = ${tag} and subscription_id = ${subscriptionId}`;
  const { rows } = await sql<{ counted: number }>`${count}`.execute(tx);
  return rows[0]?.counted ?? 0;
}
