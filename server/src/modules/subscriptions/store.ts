import { outOfUseColumn } from '../../database/out-of-use.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, newRow, rowStore } from '../../database/row-store.ts';
import type { SubscriptionFeatures, SubscriptionProviders, Subscriptions } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { newUuid, type Uuid, idsOf } from '../../platform/identity/identifier.ts';
import { providerTable } from '../service-packages/index.ts';

export type SubscriptionRow = Selectable<Subscriptions>;
export type SubscriptionFeatureRow = Selectable<SubscriptionFeatures>;
export type SubscriptionProviderRow = Selectable<SubscriptionProviders>;

/** A feature with its usage, and the dates from which the windows between two resets are computed. */
export interface UsedFeatureRow extends SubscriptionFeatureRow {
  usage_id: Uuid;
  used: number;
  /** Allocated to resold subscriptions. */
  handed_down: number;
  valid_until: string | null;
  usage_created_at: string;
  usage_updated_at: string;
  starts_at: string;
  anchor_day: number;
  /** The subscriptions above this one, the topmost first. */
  ancestors?: string[];
}

export type ProviderRowWithNames = SubscriptionProviderRow & {
  provider_name: string;
  provider_type: string;
  package_id: Uuid;
};

export const subscriptionProviders = providerTable<SubscriptionProviderRow>(
  'subscription_providers',
  'subscription_id',
  (row) => row.subscription_id,
);

const subscriptions = rowStore('subscriptions', 'subscription');

/** The lock serializes changes of a subscription, its features and its providers. */
export const {
  find: findSubscription,
  require: requireSubscription,
  lock: lockSubscription,
  lockForShare: lockSubscriptionForShare,
  lockAllOf: lockSubscriptionsOf,
  select: selectSubscriptions,
  storeWhere: storeSubscriptions,
  insertUnlessTaken: insertSubscription,
} = subscriptions;

const features = rowStore('subscription_features', 'subscription feature');

export const { store: storeFeature } = features;

function isUsableStatus(status: unknown): boolean {
  return status === 'active' || status === 'canceled';
}

export async function storeSubscription(
  tx: Tx,
  id: Uuid,
  changes: Updateable<Subscriptions>,
): Promise<SubscriptionRow> {
  const since = outOfUseColumn(changes.status && isUsableStatus(changes.status), changes.updated_at);
  return await subscriptions.store(tx, id, { ...changes, ...since });
}

export async function removeSubscription(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('refused_limits').where('subscription_id', '=', id).execute();
  await tx.deleteFrom('subscriptions').where('id', '=', id).execute();
}

export type NewFeature = Omit<SubscriptionFeatureRow, 'id' | 'created_at' | 'updated_at'> & {
  valid_until: string | null;
};

/** Inserts features with their usage rows at zero, and skips existing tags. */
export async function insertFeatures(
  tx: Tx,
  newFeatures: readonly NewFeature[],
  now: string,
): Promise<SubscriptionFeatureRow[]> {
  if (newFeatures.length === 0) return [];
  const rows = newFeatures.map(({ valid_until: validUntil, ...feature }) => ({
    feature: { ...feature, id: newUuid(), created_at: now, updated_at: now },
    validUntil,
  }));
  const inserted = await tx
    .insertInto('subscription_features')
    .values(rows.map(({ feature }) => feature))
    .onConflict((conflict) => conflict.columns(['subscription_id', 'tag']).doNothing())
    .returningAll()
    .execute();
  const insertedIds = new Set(idsOf(inserted));
  const usages = rows
    .filter(({ feature }) => insertedIds.has(feature.id))
    .map(({ feature, validUntil }) => ({
      ...newRow(now),
      subscription_feature_id: feature.id,
      subscription_id: feature.subscription_id,
      used: 0,
      valid_until: validUntil,
    }));
  if (usages.length > 0) await tx.insertInto('subscription_usages').values(usages).execute();
  return inserted;
}

export async function listFeatures(db: Database | Tx, subscriptionId: Uuid): Promise<SubscriptionFeatureRow[]> {
  return await features.select(db, sql`subscription_id = ${subscriptionId} order by id`);
}

/** @throws 404 */
export async function requireUsedFeature(db: Database | Tx, subscriptionId: Uuid, id: Uuid): Promise<UsedFeatureRow> {
  const row = await queryUsedFeatures(db)
    .where('subscription_features.subscription_id', '=', subscriptionId)
    .where('subscription_features.id', '=', id)
    .executeTakeFirst();
  return rowOrNotFound(row, 'feature');
}

export async function findUsedFeature(
  db: Database | Tx,
  subscriptionId: Uuid,
  tag: string,
): Promise<UsedFeatureRow | undefined> {
  return await queryUsedFeatures(db)
    .where('subscription_features.subscription_id', '=', subscriptionId)
    .where('subscription_features.tag', '=', tag)
    .executeTakeFirst();
}

/** Starts a query to which the caller adds conditions. */
export function queryUsedFeatures(db: Database | Tx) {
  return db
    .selectFrom('subscription_features')
    .innerJoin('subscription_usages', 'subscription_usages.subscription_feature_id', 'subscription_features.id')
    .innerJoin('subscriptions', 'subscriptions.id', 'subscription_features.subscription_id')
    .selectAll('subscription_features')
    .select([
      'subscription_usages.id as usage_id',
      'subscription_usages.used',
      'subscription_usages.handed_down',
      'subscription_usages.valid_until',
      'subscription_usages.created_at as usage_created_at',
      'subscription_usages.updated_at as usage_updated_at',
      'subscriptions.starts_at',
      'subscriptions.anchor_day',
      'subscriptions.ancestors',
    ]);
}

export async function removeFeatures(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await sql`delete from subscription_features where id = any(${[...ids]}::uuid[])`.execute(tx);
}

/** @throws 404 */
export async function requireProviderWithNames(
  db: Database | Tx,
  subscriptionId: Uuid,
  id: Uuid,
): Promise<ProviderRowWithNames> {
  const row = await db
    .selectFrom('subscription_providers')
    .innerJoin('service_providers', 'service_providers.id', 'subscription_providers.service_provider_id')
    .innerJoin('subscriptions', 'subscriptions.id', 'subscription_providers.subscription_id')
    .selectAll('subscription_providers')
    .select(['provider_name', 'provider_type', 'package_id'])
    .where('subscription_providers.id', '=', id)
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst();
  return rowOrNotFound(row, 'provider');
}

export async function findPackageProvider(tx: Tx, id: Uuid) {
  return await tx.selectFrom('service_package_providers').selectAll().where('id', '=', id).executeTakeFirst();
}
