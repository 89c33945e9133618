import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, requireIn, rowStore } from '../../database/row-store.ts';
import type { ServicePackageFeatures, ServicePackageProviders, ServicePackages } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { providerTable } from './provider-rows.ts';

export type ServicePackageRow = Selectable<ServicePackages>;
export type PackageFeatureRow = Selectable<ServicePackageFeatures>;
export type PackageProviderRow = Selectable<ServicePackageProviders>;
/** A provider row with the name and type of its service provider. */
export type PrintedPackageProviderRow = PackageProviderRow & {
  provider_name: string;
  provider_type: string;
};

export const packageProviders = providerTable<PackageProviderRow>(
  'service_package_providers',
  'package_id',
  (row) => row.package_id,
);

const servicePackages = rowStore('service_packages', 'service package');

/** The lock serializes changes of a package, its features, its providers and its stock. */
export const {
  require: requireServicePackage,
  findAndLock: findServicePackageForUpdate,
  lock: lockServicePackage,
  remove: removeServicePackage,
} = servicePackages;

const packageFeatures = rowStore('service_package_features', 'service package feature');

export const {
  insertUnlessTaken: insertPackageFeature,
  store: storePackageFeature,
  remove: removePackageFeature,
} = packageFeatures;

export const requirePackageFeature = requireIn('service_package_features', 'package_id', 'feature');

/** @throws 422 if another package has the tag. */
export async function insertServicePackage(tx: Tx, row: Insertable<ServicePackages>): Promise<ServicePackageRow> {
  return await rejectTakenTag(servicePackages.insert(tx, row));
}

/** @throws 422 if another package has the tag. */
export async function storeServicePackage(
  tx: Tx,
  id: Uuid,
  changes: Updateable<ServicePackages>,
): Promise<ServicePackageRow> {
  return await rejectTakenTag(servicePackages.store(tx, id, changes));
}

/** Relies on the unique index: after a query, two concurrent requests could both find the tag unused. */
async function rejectTakenTag(write: Promise<ServicePackageRow>): Promise<ServicePackageRow> {
  try {
    return await write;
  } catch (error) {
    const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
    if (code === '23505' && constraint === 'service_packages_tag_key')
      throw invalidInput({ tag: ['The tag has already been taken.'] });
    throw error;
  }
}

/** Counts the package's subscriptions, including those with a scheduled change to it. */
export async function countSubscriptions(tx: Tx, packageId: Uuid): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from subscriptions where package_id = ${packageId} or exists (
      select 1 from subscription_package_changes
      where subscription_id = subscriptions.id and to_package_id = ${packageId} and status = 'scheduled'
    )`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function listPackageFeatures(db: Database | Tx, packageId: Uuid): Promise<PackageFeatureRow[]> {
  return await packageFeatures.select(db, sql`package_id = ${packageId} order by id`);
}

/** @throws 404 */
export async function requirePackageProvider(
  db: Database | Tx,
  packageId: Uuid,
  id: Uuid,
): Promise<PrintedPackageProviderRow> {
  const row = await db
    .selectFrom('service_package_providers')
    .innerJoin('service_providers', 'service_providers.id', 'service_package_providers.service_provider_id')
    .selectAll('service_package_providers')
    .select(['provider_name', 'provider_type'])
    .where('service_package_providers.id', '=', id)
    .where('package_id', '=', packageId)
    .executeTakeFirst();
  return rowOrNotFound(row, 'provider');
}

export async function countSubscriptionProviders(tx: Tx, packageProviderId: Uuid): Promise<number> {
  const { count } = await tx
    .selectFrom('subscription_providers')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('package_provider_id', '=', packageProviderId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The active providers of the package, the default first. */
export async function listActiveProviders(tx: Tx, packageId: Uuid): Promise<PackageProviderRow[]> {
  return await tx
    .selectFrom('service_package_providers')
    .innerJoin('service_providers', 'service_providers.id', 'service_package_providers.service_provider_id')
    .selectAll('service_package_providers')
    .where('package_id', '=', packageId)
    .where('service_package_providers.active', '=', true)
    .where('service_providers.active', '=', true)
    .orderBy('is_default', 'desc')
    .orderBy('service_package_providers.id')
    .execute();
}

/** Takes one from the stock; false if none is left. */
export async function takeFromStock(tx: Tx, packageId: Uuid, now: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update service_packages set stock_qty = stock_qty - 1, updated_at = ${now}
    where id = ${packageId} and stock_qty > 0`.execute(tx);
  return numAffectedRows === 1n;
}

/** Returns one that a scheduled package change had reserved. */
export async function returnToStock(tx: Tx, packageId: Uuid, now: string): Promise<void> {
  await sql`
    update service_packages set stock_qty = stock_qty + 1, updated_at = ${now}
    where id = ${packageId} and has_stock and stock_qty is not null`.execute(tx);
}
