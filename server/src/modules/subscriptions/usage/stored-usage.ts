import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { sql } from 'kysely';
import type { Change, Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** Limits on the number and size of stored files. */
export const storedTags = ['max_recordings', 'max_videos', 'max_storage'] as const;
export type StoredTag = (typeof storedTags)[number];

export interface StoredUsage {
  readonly id: Uuid;
  readonly subscription_id: Uuid;
  readonly tag: StoredTag;
  readonly value: string;
  readonly used: number;
  readonly handed_down: number;
  readonly resettable_period: number;
}

export interface CountedUsage {
  readonly usage: StoredUsage;
  readonly counted: number;
}

/**
 * Recomputes the usage of `max_recordings`, `max_videos` and `max_storage`. Called last in a change of recordings or
 * videos: it locks the usages before counting, so that no concurrent change is missed.
 */
export async function recomputeStoredUsage(change: Change, subscriptionIds: readonly Uuid[]): Promise<void> {
  await storeCountedUsages(change, await lockStoredUsages(change.tx, subscriptionIds));
}

/** Locks the usages of stored files and counts the files. */
export async function lockStoredUsages(tx: Tx, subscriptionIds: readonly Uuid[]): Promise<CountedUsage[]> {
  if (subscriptionIds.length === 0) return [];
  const { rows } = await sql<StoredUsage>`
    select usage.id, usage.subscription_id, feature.tag, feature.value, usage.used, usage.handed_down,
      feature.resettable_period
    from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    join subscriptions subscription on subscription.id = usage.subscription_id
    where usage.subscription_id = any(${[...subscriptionIds]}::uuid[]) and feature.tag = any(${[...storedTags]}::text[])
    order by cardinality(subscription.ancestors) desc, usage.id for update of usage
  `.execute(tx);
  if (rows.length === 0) return [];
  const counted = await countStored(tx, subscriptionIds);
  return rows.map((usage) => ({ usage, counted: counted.get(`${usage.subscription_id}:${usage.tag}`) ?? 0 }));
}

/** Stores the counts. Skips usages that are reset each period, because these do not count existing resources. */
export async function storeCountedUsages(change: Change, usages: readonly CountedUsage[]): Promise<void> {
  const drifted = usages.filter(({ usage, counted }) => usage.resettable_period === 0 && counted !== usage.used);
  if (drifted.length === 0) return;
  await sql`
    update subscription_usages usage set used = counted.used, updated_at = ${change.now}
    from unnest(${drifted.map(({ usage }) => usage.id)}::uuid[], ${drifted.map(({ counted }) => counted)}::bigint[])
      counted(id, used)
    where usage.id = counted.id
  `.execute(change.tx);
  for (const { usage, counted } of drifted) await reactIfUsedUp(change, usage, counted);
}

/** The stored amounts of each subscription by tag; storage in gigabytes, rounded up. */
export const storedResources = sql`
  select 'max_recordings' as tag, subscription_id, count(*) as counted from recordings
  where deleted_at is null group by subscription_id
  union all
  select 'max_videos', subscription_id, count(*) from videos group by subscription_id
  union all
  select 'max_storage', subscription_id, ceil(coalesce(sum(bytes), 0) / 1000000000.0)::bigint from (
    select subscription_id, size_bytes as bytes from recordings where deleted_at is null
    union all
    select subscription_id, coalesce(stored_bytes, size_bytes) from videos
  ) files group by subscription_id`;

async function countStored(tx: Tx, subscriptionIds: readonly Uuid[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ tag: string; subscription_id: Uuid; counted: number }>`
    select * from (${storedResources}) stored where subscription_id = any(${[...subscriptionIds]}::uuid[])
  `.execute(tx);
  return new Map(rows.map(({ tag, subscription_id, counted }) => [`${subscription_id}:${tag}`, counted]));
}

async function reactIfUsedUp(change: Change, usage: StoredUsage, counted: number): Promise<void> {
  const limit = limitOf(usage.value);
  const [before, used] = [usage.used + usage.handed_down, counted + usage.handed_down];
  if (limit === null || before >= limit || used < limit) return;
  const { subscription_id: subscriptionId, tag, value } = usage;
  await change.react('limit.used-up', { subscriptionId, tag, limit: value, used });
}
