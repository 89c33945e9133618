import { features, sharedLimits } from '@foyer/contract/resources/features.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { type SubscriptionRow, usedFeatures } from '../store.ts';

/** The subscriptions of a reseller of which something can be handed down. */
export async function findParentCandidates(tx: Tx, customerId: Uuid, packageId: Uuid): Promise<SubscriptionRow[]> {
  return await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('subscriber_id', '=', customerId)
    .where('package_id', '=', packageId)
    .where('status', 'not in', ['inactive', 'terminated'])
    .orderBy('id')
    .execute();
}

/** What all subscriptions that hang on this one have together, by tag. */
export async function sumAllocations(tx: Tx, parentId: Uuid): Promise<Map<string, number>> {
  const { rows } = await sql<{ tag: string; total: number }>`${allocationSums(parentId)}`.execute(tx);
  return new Map(rows.map(({ tag, total }) => [tag, total]));
}

/** The usages of the parent are locked. */
export async function storeAllocations(tx: Tx, parentId: Uuid, now: string): Promise<void> {
  await sql`
    with summed as (${allocationSums(parentId)})
    update subscription_usages usage set handed_down = counted.total, updated_at = ${now}
    from (
      select feature.id, coalesce(summed.total, 0) as total from subscription_features feature
      left join summed on summed.tag = feature.tag where feature.subscription_id = ${parentId}
    ) counted
    where usage.subscription_feature_id = counted.id and usage.handed_down <> counted.total
  `.execute(tx);
}

/**
 * Locks everything that a change of what a subscription has may reach: the subscriptions below, from the top down, then
 * usages, from the lowest up to the parent's, as everybody who spends does. The subscription itself is locked.
 */
export async function lockBranch(tx: Tx, { id, parent_subscription_id: parentId }: SubscriptionRow): Promise<void> {
  const below = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where(sql<boolean>`ancestors @> array[${id}::uuid] and ancestors <> '{}'`)
    .orderBy(sql`cardinality(ancestors)`)
    .orderBy('id')
    .forUpdate()
    .execute();
  const reached = [id, ...below.map((row) => row.id), ...(parentId === null ? [] : [parentId])];
  await usedFeatures(tx)
    .where(sql<boolean>`subscription_features.subscription_id = any(${reached}::uuid[])`)
    .orderBy(sql`cardinality(subscriptions.ancestors)`, 'desc')
    .orderBy('subscription_usages.id')
    .forUpdate('subscription_usages')
    .execute();
}

/** What was handed down of it directly. */
export async function lockChildren(tx: Tx, id: Uuid): Promise<SubscriptionRow[]> {
  return await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('parent_subscription_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** The shared features of which an unlimited number is handed down, with the ids, as printed, of the subscriptions that have it. */
export async function findUnlimitedChildren(tx: Tx, id: Uuid): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ tag: string; ids: Uuid[] }>`
    select shared.tag, array_agg(child.id order by child.id) as ids from subscriptions child
    cross join unnest(${sharedLimits}::text[]) shared(tag)
    left join subscription_features feature on feature.subscription_id = child.id and feature.tag = shared.tag
    where child.parent_subscription_id = ${id}
      and (feature.value = 'unlimited' or (feature.id is null and shared.tag <> all(${zeroWhenAbsent}::text[])))
    group by shared.tag
  `.execute(tx);
  return new Map(rows.map(({ tag, ids }) => [tag, ids.map((below) => printIdentifier('sub', below))]));
}

/** Without the feature there are none of these, and any number of the others. */
const zeroWhenAbsent = features.filter(({ absentValue }) => absentValue === '0').map(({ code }) => code);

export async function hasChildren(tx: Tx, id: Uuid): Promise<boolean> {
  const found = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where('parent_subscription_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Subscriptions of which something else is handed down than is noted. */
export async function findAllocationDrift(db: Database): Promise<Uuid[]> {
  const { rows } = await sql<{ subscription_id: Uuid }>`
    with counted as (
      select child.parent_subscription_id as subscription_id, feature.tag, sum(feature.value::bigint) as total
      from subscriptions child join subscription_features feature on feature.subscription_id = child.id
      where child.parent_subscription_id is not null and feature.tag = any(${sharedLimits}::text[])
        and feature.value ~ '^[0-9]{1,15}$'
      group by child.parent_subscription_id, feature.tag
    )
    select distinct usage.subscription_id from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    left join counted on counted.subscription_id = usage.subscription_id and counted.tag = feature.tag
    where (usage.handed_down <> 0 or counted.total is not null) and usage.handed_down <> coalesce(counted.total, 0)
    order by usage.subscription_id
  `.execute(db);
  return rows.map(({ subscription_id: id }) => id);
}

/** An unlimited feature is handed down of an unlimited one only, of which nothing need be set aside. */
function allocationSums(parentId: Uuid) {
  return sql`
    select feature.tag, sum(feature.value::bigint)::double precision as total
    from subscriptions child join subscription_features feature on feature.subscription_id = child.id
    where child.parent_subscription_id = ${parentId} and feature.tag = any(${sharedLimits}::text[]) and feature.value ~ '^[0-9]{1,15}$'
    group by feature.tag
  `;
}
