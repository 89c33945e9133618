import type { Change } from '../../../events/change.ts';
import { addProviderRow, lockProviderRows, type PackageProviderRow } from '../../service-packages/index.ts';
import { providerEvent } from '../features/subscription-providers.ts';
import { subscriptionProviders, type SubscriptionRow } from '../store.ts';
import { attachToPackageProvider, removeProviders } from './package-change-store.ts';

/**
 * Keeps providers that the new package also has, with their settings. Adds the default provider of the package if no
 * active default is left.
 * @param row the subscription before the change
 */
export async function moveProviders(
  change: Change,
  row: SubscriptionRow,
  providers: readonly PackageProviderRow[],
): Promise<void> {
  const { tx, now } = change;
  const existing = await lockProviderRows(tx, subscriptionProviders, row.id);
  const byServiceProvider = new Map(providers.map((provider) => [provider.service_provider_id, provider]));
  const kept = existing.filter((provider) => byServiceProvider.has(provider.service_provider_id));
  const removed = existing.filter((provider) => !byServiceProvider.has(provider.service_provider_id));
  // Before the rows are deleted, since the events print the names of the providers.
  await change.emitAll(removed.map((before) => providerEvent('deleted', row, { before })));
  await removeProviders(tx, removed);
  const [first] = providers;
  if (!first) return;
  const formerDefault = kept.find((provider) => provider.is_default && provider.active);
  const nextDefault =
    formerDefault ?? kept.find((provider) => provider.service_provider_id === first.service_provider_id);
  // The next default comes last, because a unique index allows one default at a time.
  const ordered = [...kept.filter((provider) => provider !== nextDefault), ...(nextDefault ? [nextDefault] : [])];
  for (const provider of ordered) {
    const next = byServiceProvider.get(provider.service_provider_id);
    if (!next) continue;
    const after = await attachToPackageProvider({ tx, now }, provider.id, next.id, provider === nextDefault);
    // The event also tells the package, which is a column of the subscription.
    const rows = {
      before: { ...provider, package_id: row.package_id },
      after: { ...after, package_id: next.package_id },
    };
    await change.emit(providerEvent('updated', row, rows));
  }
  if (nextDefault) return;
  const after = await addProviderRow({ tx, now }, subscriptionProviders, row.id, {
    existing: kept,
    active: true,
    default: true,
    serviceProviderId: first.service_provider_id,
    packageProviderId: first.id,
    settings: first.settings,
    field: 'package_id',
  });
  await change.emit(providerEvent('created', row, { after }));
}
