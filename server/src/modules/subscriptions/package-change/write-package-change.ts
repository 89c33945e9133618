import type { Insertable, Updateable } from 'kysely';
import type { SubscriptionPackageChanges } from '../../../database/tables.ts';
import type { Change } from '../../../events/change.ts';
import { emitDeletions } from '../../../events/emit-deletions.ts';
import { eventAbout, rowEvent } from '../../../events/row-event.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import type { SubscriptionRow } from '../store.ts';
import {
  insertPackageChange,
  listPackageChanges,
  type PackageChangeRow,
  storePackageChange,
} from './package-change-store.ts';

type Subscription = Pick<SubscriptionRow, 'id' | 'subscriber_id'>;

/** Inserts the package change and emits its event. */
export async function addPackageChange(
  change: Change,
  { subscriber_id: customerId }: Subscription,
  input: Insertable<SubscriptionPackageChanges>,
): Promise<PackageChangeRow> {
  const row = await insertPackageChange(change.tx, input);
  await change.emit(rowEvent('subscription_package_change.created', { customerId, after: row }));
  return row;
}

/** Stores the new state of the package change and emits its event. */
export async function updatePackageChange(
  change: Change,
  { subscriber_id: customerId }: Subscription,
  before: PackageChangeRow,
  changes: Updateable<SubscriptionPackageChanges>,
): Promise<void> {
  const after = await storePackageChange(change.tx, before.id, { ...changes, updated_at: change.now });
  await change.emit(rowEvent('subscription_package_change.updated', { customerId, before, after }));
}

/** Called before the subscription is deleted, which also deletes the rows. */
export async function emitPackageChangeDeletions(
  change: Change,
  { id: subscriptionId, subscriber_id: customerId }: Subscription,
): Promise<void> {
  await emitDeletions(change, 'subscription_package_change.deleted', async (page) => {
    const rows = await listPackageChanges(change.tx, subscriptionId, page);
    return rows.map((row) => ({ ...row, customer_id: customerId }));
  });
}

/** Emits an event of the subscription about its package change. */
export async function emitAboutPackageChange(
  change: Change,
  action: 'scheduled' | 'withdrawn' | 'failed',
  { id: subscriptionId, subscriber_id: customerId }: Subscription,
  { id }: Pick<PackageChangeRow, 'id'>,
): Promise<void> {
  const details = { package_change_id: printIdentifier('subchange', id) };
  await change.emit(eventAbout(`subscription.package_change_${action}`, subscriptionId, { customerId, details }));
}
