import { CompiledQuery, sql } from 'kysely';
import type { Change, Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { storedResources } from './stored-usage.ts';
import { type UsedFeatureRow, queryUsedFeatures } from '../store.ts';

export interface ConsumedUsage {
  readonly used: number;
  readonly handed_down: number;
  readonly value: string;
}

/**
 * Adds to the usage if the limit and the window allow it. One conditional statement, so that concurrent requests cannot
 * exceed the limit.
 * @returns the new usage; undefined if nothing was consumed.
 */
export async function tryConsume(
  { tx, today, now }: Pick<Change, 'tx' | 'today' | 'now'>,
  subscriptionId: Uuid,
  tag: string,
  amount: number,
): Promise<ConsumedUsage | undefined> {
  const { rows } = await tx.executeQuery<ConsumedUsage>(
    CompiledQuery.raw(consumeStatement, [subscriptionId, tag, amount, today, now]),
  );
  return rows[0];
}

/** Raw text, because building the query each time is measurable at thousands per second. */
const consumeStatement = `
  update subscription_usages usage set used = usage.used + $3::bigint, updated_at = $5
  from subscription_features feature
  where feature.subscription_id = $1 and feature.tag = $2
    and usage.subscription_feature_id = feature.id
    and (usage.valid_until is null or usage.valid_until > $4)
    and case
      when feature.value = 'unlimited' then true
      when feature.value ~ '^[0-9]{1,18}$' then usage.used + usage.handed_down + $3::bigint <= feature.value::bigint
      else false
    end
  returning usage.used, usage.handed_down, feature.value`;

export async function releaseUsage(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  subscriptionId: Uuid,
  tag: string,
  amount: number,
): Promise<void> {
  await sql`
    update subscription_usages usage set used = greatest(0, usage.used - ${amount}), updated_at = ${now}
    from subscription_features feature
    where feature.subscription_id = ${subscriptionId} and feature.tag = ${tag}
      and usage.subscription_feature_id = feature.id
  `.execute(tx);
}

export async function lockUsedFeature(tx: Tx, subscriptionId: Uuid, tag: string): Promise<UsedFeatureRow | undefined> {
  return await queryUsedFeatures(tx)
    .where('subscription_features.subscription_id', '=', subscriptionId)
    .where('subscription_features.tag', '=', tag)
    .forUpdate('subscription_usages')
    .executeTakeFirst();
}

export interface UsageWindow {
  readonly usageId: Uuid;
  readonly used: number;
  readonly validUntil: string | null;
}

/** The caller locks the usages. */
export async function storeWindows(tx: Tx, windows: readonly UsageWindow[], now: string): Promise<void> {
  if (windows.length === 0) return;
  await sql`
    update subscription_usages usage
    set used = window_of_today.used, valid_until = window_of_today.valid_until, updated_at = ${now}
    from unnest(${windows.map(({ usageId }) => usageId)}::uuid[], ${windows.map(({ used }) => used)}::bigint[],
      ${windows.map(({ validUntil }) => validUntil)}::date[]) window_of_today(id, used, valid_until)
    where usage.id = window_of_today.id
  `.execute(tx);
}

/** Locks a batch of features whose window has ended, skipping those locked by other nodes. */
export async function lockEndedWindows(tx: Tx, today: string, limit: number): Promise<UsedFeatureRow[]> {
  return await queryUsedFeatures(tx)
    .where('subscription_usages.valid_until', '<=', today)
    .orderBy('subscription_usages.valid_until')
    .limit(limit)
    .forUpdate('subscription_usages')
    .skipLocked()
    .execute();
}

export async function lockUsedFeatures(tx: Tx, subscriptionId: Uuid): Promise<UsedFeatureRow[]> {
  return await queryUsedFeatures(tx)
    .where('subscription_features.subscription_id', '=', subscriptionId)
    .orderBy('subscription_usages.id')
    .forUpdate('subscription_usages')
    .execute();
}

/** The existing rooms, accounts, outputs, recordings and videos of a subscription, by feature tag. */
export async function countResources(tx: Tx, subscriptionId: Uuid): Promise<Map<string, number>> {
  const { rows } = await sql<{ tag: string; count: number }>`
    select tag, count::int from (${resourceCounts(subscriptionId)}) counted
  `.execute(tx);
  return new Map(rows.map(({ tag, count }) => [tag, count]));
}

/** Counts existing resources as usage of newly added features. The caller locks the subscription. */
export async function storeResourceCounts(
  tx: Tx,
  subscriptionId: Uuid,
  tags: readonly string[],
  now: string,
): Promise<void> {
  await sql`
    update subscription_usages usage set used = counted.count, updated_at = ${now}
    from subscription_features feature, (${resourceCounts(subscriptionId)}) counted
    where feature.subscription_id = ${subscriptionId} and feature.tag = counted.tag
      and feature.tag = any(${tags}::text[]) and feature.resettable_period = 0
      and usage.subscription_feature_id = feature.id and usage.used <> counted.count
  `.execute(tx);
}

function resourceCounts(subscriptionId: Uuid) {
  return sql`
    select 'max_rooms' as tag, count(*) as count from rooms where subscription_id = ${subscriptionId}
    union all
    select 'max_accounts', count(*) from accounts where subscription_id = ${subscriptionId}
    union all
    select 'max_outputs', count(*) from outputs where subscription_id = ${subscriptionId}
    union all
    select tag, counted from (${storedResources}) stored where subscription_id = ${subscriptionId}
  `;
}
