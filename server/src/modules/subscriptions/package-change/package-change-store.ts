import { type Selectable, sql } from 'kysely';
import { requireIn, rowStore } from '../../../database/row-store.ts';
import type { SubscriptionPackageChanges } from '../../../database/tables.ts';
import type { Change, Tx } from '../../../events/change.ts';
import type { Page } from '../../../events/emit-deletions.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import type { SubscriptionProviderRow } from '../store.ts';

export type PackageChangeRow = Selectable<SubscriptionPackageChanges>;

const packageChanges = rowStore('subscription_package_changes', 'subscription package change');

export const { insert: insertPackageChange, store: storePackageChange } = packageChanges;

const { store: storeSubscriptionProvider } = rowStore('subscription_providers', 'subscription provider');

export const requirePackageChange = requireIn('subscription_package_changes', 'subscription_id', 'package change');

/** The caller locks the subscription. */
export async function findScheduled(tx: Tx, subscriptionId: Uuid): Promise<PackageChangeRow | undefined> {
  return await packageChanges.selectFirst(tx, sql`subscription_id = ${subscriptionId} and status = 'scheduled'`);
}

/** The scheduled changes, ordered by the package whose stock they reserve: the lock order of packages. */
export async function listScheduled(tx: Tx, subscriptionIds: readonly Uuid[]): Promise<PackageChangeRow[]> {
  const isOfSubscriptions = sql`subscription_id = any(${[...subscriptionIds]}::uuid[])`;
  return await packageChanges.select(tx, sql`${isOfSubscriptions} and status = 'scheduled' order by to_package_id`);
}

/** The package changes of the subscription, in the order of their ids. The caller locks the subscription. */
export async function listPackageChanges(
  tx: Tx,
  subscriptionId: Uuid,
  { after, limit }: Page,
): Promise<PackageChangeRow[]> {
  const isNext = sql`(${after}::uuid is null or id > ${after}::uuid)`;
  return await packageChanges.select(
    tx,
    sql`subscription_id = ${subscriptionId} and ${isNext} order by id limit ${limit}`,
  );
}

/**
 * Locks the next subscription whose scheduled change must be applied or withdrawn, in order of change ids, skipping those
 * locked by other nodes.
 */
export async function lockNextDueChange(
  tx: Tx,
  today: string,
  afterId: Uuid | null,
): Promise<{ id: Uuid; subscription_id: Uuid } | undefined> {
  const { rows } = await sql<{ id: Uuid; subscription_id: Uuid }>`
    select package_change.id, package_change.subscription_id
    from subscription_package_changes package_change
    join subscriptions on subscriptions.id = package_change.subscription_id
    where package_change.status = 'scheduled' and (
        (package_change.effective_at <= ${today} and subscriptions.status = 'active'
          and package_change.effective_at <= last_day)
        or (subscriptions.status <> 'active'
          and (subscriptions.status <> 'suspended' or canceled_at is not null or last_day < ${today}))
      )
      and (${afterId}::uuid is null or package_change.id > ${afterId}::uuid)
    order by package_change.id
    limit 1
    for update of subscriptions skip locked`.execute(tx);
  return rows[0];
}

export async function attachToPackageProvider(
  { tx, now }: Pick<Change, 'tx' | 'now'>,
  id: Uuid,
  packageProviderId: Uuid,
  isDefault: boolean,
): Promise<SubscriptionProviderRow> {
  const columns = { package_provider_id: packageProviderId, is_default: isDefault, updated_at: now };
  return await storeSubscriptionProvider(tx, id, { ...columns, ...(isDefault ? { active: true } : {}) });
}

export async function removeProviders(tx: Tx, rows: readonly SubscriptionProviderRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = idsOf(rows);
  await tx.deleteFrom('subscription_providers').where('id', 'in', ids).execute();
}
