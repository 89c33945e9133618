import { limitOf } from '@foyer/contract/resources/features.ts';
import { sql } from 'kysely';
import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { requireSubscription } from '../store.ts';

interface Usage {
  readonly id: Uuid;
  readonly subscription_id: Uuid;
  readonly tag: 'max_recordings' | 'max_storage';
  readonly value: string;
  readonly used: number;
  readonly handed_down: number;
}

/**
 * Recomputes the usage of `max_recordings` and `max_storage`. Called last in a change of recordings: it locks the usages
 * before counting, so that no concurrent change is missed.
 */
export async function recomputeRecordingUsage(change: Change, subscriptionIds: readonly Uuid[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const { rows } = await sql<Usage>`
    select usage.id, usage.subscription_id, feature.tag, feature.value, usage.used, usage.handed_down
    from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    join subscriptions subscription on subscription.id = usage.subscription_id
    where usage.subscription_id = any(${[...subscriptionIds]}::uuid[])
      and feature.tag in ('max_recordings', 'max_storage') and feature.resettable_period = 0
    order by cardinality(subscription.ancestors) desc, usage.id for update of usage
  `.execute(change.tx);
  if (rows.length === 0) return;
  const counted = await countKept(change, subscriptionIds);
  const drifted = rows
    .map((usage) => ({ usage, used: counted.get(`${usage.subscription_id}:${usage.tag}`) ?? 0 }))
    .filter(({ usage, used }) => used !== usage.used);
  if (drifted.length === 0) return;
  await sql`
    update subscription_usages usage set used = counted.used, updated_at = ${change.now}
    from unnest(${drifted.map(({ usage }) => usage.id)}::uuid[], ${drifted.map(({ used }) => used)}::bigint[])
      counted(id, used)
    where usage.id = counted.id
  `.execute(change.tx);
  for (const { usage, used } of drifted) await emitIfLimitReached(change, usage, used);
}

/** Storage in gigabytes, rounded up. */
export const gigabytes = sql`ceil(coalesce(sum(size_bytes), 0) / 1000000000.0)::bigint`;

export const keptRecordings = sql`
  select 'max_recordings' as tag, subscription_id, count(*) as counted from recordings
  where deleted_at is null group by subscription_id
  union all
  select 'max_storage', subscription_id, ${gigabytes} from recordings
  where deleted_at is null group by subscription_id`;

async function countKept({ tx }: Change, subscriptionIds: readonly Uuid[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ tag: string; subscription_id: Uuid; counted: number }>`
    select * from (${keptRecordings}) kept where subscription_id = any(${[...subscriptionIds]}::uuid[])
  `.execute(tx);
  return new Map(rows.map(({ tag, subscription_id, counted }) => [`${subscription_id}:${tag}`, counted]));
}

async function emitIfLimitReached(change: Change, usage: Usage, used: number): Promise<void> {
  const most = limitOf(usage.value);
  const [before, after] = [usage.used + usage.handed_down, used + usage.handed_down];
  if (most === null || before >= most || after < most) return;
  const { subscriber_id: customerId } = await requireSubscription(change.tx, usage.subscription_id);
  await change.emit({
    name: 'subscription.limit_reached',
    resource: { type: 'ServicePackageSubscription', id: usage.subscription_id },
    customerId,
    details: { feature: { tag: usage.tag, limit: usage.value, used: after } },
  });
}
