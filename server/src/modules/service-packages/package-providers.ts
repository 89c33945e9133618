import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { Failure, invalidInput, conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { lockServiceProvider } from '../service-providers/index.ts';
import {
  addProviderRow,
  changeProviderRow,
  lockProviderRows,
  requireProviderRow,
  removeProviderRow,
} from './provider-rows.ts';
import {
  countSubscriptionProviders,
  lockServicePackage,
  packageProviders,
  type PrintedPackageProviderRow,
  requirePackageProvider,
} from './store.ts';

/** @throws 422 if the service provider does not exist, delivers another service type, or is already attached. */
export async function addPackageProvider(
  dependencies: Dependencies,
  { actor, params, body: input }: Pick<CallOf<'createServicePackageProvider'>, 'actor' | 'params' | 'body'>,
): Promise<PrintedPackageProviderRow> {
  const { service_package_id: packageId } = params;
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const servicePackage = await lockServicePackage(tx, packageId);
    await requireProviderOfType(tx, input.service_provider_id, servicePackage.service_type);
    const existing = await lockProviderRows(tx, packageProviders, packageId);
    const row = await addProviderRow({ tx, now }, packageProviders, packageId, {
      existing,
      ...input,
      serviceProviderId: input.service_provider_id,
      field: 'service_provider_id',
    });
    await emit(rowEvent('service_package_provider.created', { after: row }));
    return await requirePackageProvider(tx, packageId, row.id);
  });
}

export async function updatePackageProvider(
  dependencies: Dependencies,
  { actor, params, body: input, immutable }: CallOf<'updateServicePackageProvider'>,
): Promise<PrintedPackageProviderRow> {
  const { service_package_id: packageId, provider_id: id } = params;
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    await lockServicePackage(tx, packageId);
    const row = requireProviderRow(await lockProviderRows(tx, packageProviders, packageId), id);
    refuseChanged(immutable, { ...row });
    const updated = await changeProviderRow({ tx, now }, packageProviders, row, input);
    await emit(rowEvent('service_package_provider.updated', { before: row, after: updated }));
    return await requirePackageProvider(tx, packageId, id);
  });
}

/** @throws 409 if it is active, the default, or used by a subscription of the package. */
export async function removePackageProvider(
  dependencies: Dependencies,
  { actor, params: { service_package_id: packageId, provider_id: id } }: CallOf<'deleteServicePackageProvider'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit }) => {
    await lockServicePackage(tx, packageId);
    const row = requireProviderRow(await lockProviderRows(tx, packageProviders, packageId), id);
    const subscriptionCount = await countSubscriptionProviders(tx, id);
    if (!row.active && !row.is_default && subscriptionCount > 0) {
      throw conflict('package-provider-in-use', `${subscriptionCount} subscriptions of the package use the provider.`);
    }
    // Emitted before the row is deleted, because the event contains the provider's name.
    await emit(rowEvent('service_package_provider.deleted', { before: row }));
    await removeProviderRow(tx, packageProviders, row);
  });
}

async function requireProviderOfType(tx: Tx, id: Uuid, serviceType: string): Promise<void> {
  const provider = await lockServiceProvider(tx, id).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not-found') {
      throw invalidInput({ service_provider_id: ['The selected service provider id is invalid.'] });
    }
    throw error;
  });
  if (provider.service_type !== serviceType) {
    throw invalidInput({
      service_provider_id: [`The service provider does not offer the service type ${serviceType}.`],
    });
  }
}
