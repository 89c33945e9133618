import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { counted } from '../../platform/text/counted.ts';
import { lockProviderRows } from './provider-rows.ts';
import { countSubscriptions, lockServicePackage, packageProviders, removeServicePackage } from './store.ts';

/** @throws 409 `package-in-use` if a subscription uses it. */
export async function deleteServicePackage(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit, emitAll }) => {
    const row = await lockServicePackage(tx, id);
    const subscriptionCount = await countSubscriptions(tx, id);
    if (subscriptionCount > 0)
      throw conflict('package-in-use', `The service package is used by ${counted(subscriptionCount, 'subscription')}.`);
    const features = await tx.selectFrom('service_package_features').selectAll().where('package_id', '=', id).execute();
    const providers = await lockProviderRows(tx, packageProviders, id);
    // Emitted before the rows are deleted, because the events contain the provider's name.
    await emitAll([
      ...features.map((before) => rowEvent('service_package_feature.deleted', { before })),
      ...providers.map((before) => rowEvent('service_package_provider.deleted', { before })),
    ]);
    await removeServicePackage(tx, id);
    await emit(rowEvent('service_package.deleted', { before: row }));
  });
}
