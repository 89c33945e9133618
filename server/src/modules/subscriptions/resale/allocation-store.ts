import { features, sharedLimits } from '@foyer/contract/resources/packages/features.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { isTrue } from '../../../database/row-store.ts';
import type { Tx } from '../../../events/change.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { selectSubscriptions, type SubscriptionRow, queryUsedFeatures } from '../store.ts';

/** The reseller's subscriptions to the package that can be resold. */
export async function findParentCandidates(tx: Tx, customerId: Uuid, packageId: Uuid): Promise<SubscriptionRow[]> {
  const isResellable = sql`package_id = ${packageId} and status not in ('inactive', 'terminated')`;
  return await selectSubscriptions(tx, sql`subscriber_id = ${customerId} and ${isResellable} order by id`);
}

/** The limits allocated to the resold subscriptions, by feature tag. */
export async function sumAllocations(tx: Tx, parentId: Uuid): Promise<Map<string, number>> {
  const { rows } = await sql<{ tag: string; total: number }>`${allocationSums(parentId)}`.execute(tx);
  return new Map(rows.map(({ tag, total }) => [tag, total]));
}

/** The caller locks the usages of the parent. */
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
 * Locks all rows that a change of features can update, in lock order: the subscriptions below from the top down, then
 * usages from the lowest up to the parent's. The caller locks the subscription.
 */
export async function lockBranch(tx: Tx, { id, parent_subscription_id: parentId }: SubscriptionRow): Promise<void> {
  const descendants = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where(sql<boolean>`ancestors @> array[${id}::uuid] and ancestors <> '{}'`)
    .orderBy(sql`cardinality(ancestors)`)
    .orderBy('id')
    .forUpdate()
    .execute();
  const ids = [id, ...descendants.map((row) => row.id), ...(parentId === null ? [] : [parentId])];
  await queryUsedFeatures(tx)
    .where(sql<boolean>`subscription_features.subscription_id = any(${ids}::uuid[])`)
    .orderBy(sql`cardinality(subscriptions.ancestors)`, 'desc')
    .orderBy('subscription_usages.id')
    .forUpdate('subscription_usages')
    .execute();
}

/** The printed ids of directly resold subscriptions without a limit, by tag of the shared feature. */
export async function findUnlimitedChildren(tx: Tx, id: Uuid): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ tag: string; ids: Uuid[] }>`
    select shared.tag, array_agg(child.id order by child.id) as ids from subscriptions child
    cross join unnest(${sharedLimits}::text[]) shared(tag)
    left join subscription_features feature on feature.subscription_id = child.id and feature.tag = shared.tag
    where child.parent_subscription_id = ${id}
      and (feature.value = 'unlimited' or (feature.id is null and shared.tag <> all(${zeroWhenAbsent}::text[])))
    group by shared.tag
  `.execute(tx);
  return new Map(rows.map(({ tag, ids }) => [tag, ids.map((childId) => printIdentifier('sub', childId))]));
}

/** Features whose limit is 0 if a subscription lacks them. If it lacks another feature, that limit is unlimited. */
const zeroWhenAbsent = features.filter(({ absentValue }) => absentValue === '0').map(({ code }) => code);

export async function hasChildren(tx: Tx, id: Uuid): Promise<boolean> {
  return await isTrue(tx, sql`exists(select from subscriptions where parent_subscription_id = ${id})`);
}

/** The subscriptions whose stored allocations differ from the sum over their resold subscriptions. */
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

/** Unlimited features are left out: only an unlimited parent can have such a child, and needs no reservation. */
function allocationSums(parentId: Uuid) {
  return sql`
    select feature.tag, sum(feature.value::bigint)::double precision as total
    from subscriptions child join subscription_features feature on feature.subscription_id = child.id
    where child.parent_subscription_id = ${parentId} and feature.tag = any(${sharedLimits}::text[]) and feature.value ~ '^[0-9]{1,15}$'
    group by feature.tag
  `;
}
