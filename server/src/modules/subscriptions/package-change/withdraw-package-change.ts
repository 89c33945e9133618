import type { Change } from '../../../events/change.ts';
import { returnToStock } from '../../service-packages/index.ts';
import type { SubscriptionRow } from '../store.ts';
import { findScheduled, listScheduled, type PackageChangeRow } from './package-change-store.ts';
import { emitAboutPackageChange, updatePackageChange } from './write-package-change.ts';

/** Withdraws the scheduled change, if any, and returns its reserved stock. */
export async function withdrawScheduledChange(change: Change, row: SubscriptionRow): Promise<PackageChangeRow | null> {
  const scheduled = await findScheduled(change.tx, row.id);
  if (!scheduled) return null;
  await updatePackageChange(change, row, scheduled, { status: 'withdrawn', holds_stock: false });
  await returnReservedStock(change, scheduled);
  await emitAboutPackageChange(change, 'withdrawn', row, scheduled);
  return scheduled;
}

/** The caller locks the subscriptions. */
export async function withdrawScheduledChanges(change: Change, rows: readonly SubscriptionRow[]): Promise<void> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { subscription_id: id } of await listScheduled(change.tx, [...byId.keys()])) {
    const row = byId.get(id);
    if (row) await withdrawScheduledChange(change, row);
  }
}

export async function returnReservedStock(
  { tx, now }: Change,
  { holds_stock: holds, to_package_id: id }: PackageChangeRow,
) {
  if (holds && id !== null) await returnToStock(tx, id, now);
}
