import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { servicePackageEndpoints } from '@foyer/contract/resources/service-package.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { invalidInput, notFound } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { moneyFaults } from '../../platform/text/money.ts';
import { stockFaults } from './create-service-package.ts';
import { lockServicePackage, type ServicePackageRow, storeServicePackage } from './store.ts';

type Input = BodyOf<(typeof servicePackageEndpoints)['updateServicePackage']>;

/** Subscriptions carry copies of the terms: what was sold does not change with its package. */
export async function updateServicePackage(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: Input,
  immutable: Readonly<Record<string, unknown>>,
): Promise<ServicePackageRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockServicePackage(tx, id);
    if (!row) throw notFound('The service package was not found.');
    refuseChanged(immutable, { ...row });
    const stock = input.stock_qty === undefined ? row.stock_qty : input.stock_qty;
    const faults = {
      ...stockFaults(input.has_stock ?? row.has_stock, stock),
      ...moneyFaults(input, { price: row.price, signup_fee: row.signup_fee }, input.currency ?? row.currency),
    };
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    const { package_settings: settings, package_metadata: metadata, ...plain } = input;
    const updated = await storeServicePackage(tx, id, {
      ...withoutUndefined(plain),
      ...(settings === undefined ? {} : { package_settings: JSON.stringify(settings ?? {}) }),
      ...(metadata === undefined ? {} : { package_metadata: JSON.stringify(metadata ?? {}) }),
      updated_at: now,
    });
    await emit({
      name: 'service_package.updated',
      resource: { type: 'ServicePackage', id },
      before: row,
      after: updated,
    });
    return updated;
  });
}
