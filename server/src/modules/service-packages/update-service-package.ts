import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns, refuseChanged } from '../../platform/immutable.ts';
import { moneyFaults } from '../../platform/text/money.ts';
import { stockFaults } from './create-service-package.ts';
import { lockServicePackage, type ServicePackageRow, storeServicePackage } from './store.ts';

/** Existing subscriptions keep their copy of the terms. */
export async function updateServicePackage(
  dependencies: Dependencies,
  { actor, params: { service_package_id: id }, body: input, immutable }: CallOf<'updateServicePackage'>,
): Promise<ServicePackageRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockServicePackage(tx, id);
    refuseChanged(immutable, { ...row });
    const stock = input.stock_qty === undefined ? row.stock_qty : input.stock_qty;
    const faults = {
      ...stockFaults(input.has_stock ?? row.has_stock, stock),
      ...moneyFaults(input, { price: row.price, signup_fee: row.signup_fee }, input.currency ?? row.currency),
    };
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    const updated = await storeServicePackage(tx, id, {
      ...changedColumns(input, { package_settings: {}, package_metadata: {} }),
      updated_at: now,
    });
    await emit(rowEvent('service_package.updated', { before: row, after: updated }));
    return updated;
  });
}
