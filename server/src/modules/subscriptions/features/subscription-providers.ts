import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { refuseChanged } from '../../../platform/immutable.ts';
import {
  addProviderRow,
  changeProviderRow,
  lockProviderRows,
  requireProviderRow,
  removeProviderRow,
} from '../../service-packages/index.ts';
import {
  findPackageProvider,
  lockSubscription,
  type ProviderRowWithNames,
  requireProviderWithNames,
  type SubscriptionProviderRow,
  type SubscriptionRow,
  subscriptionProviders,
} from '../store.ts';

/** @throws 422 if the provider is not attached to the subscription's package, or is already attached to the subscription. */
export async function addSubscriptionProvider(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId }, body: input }: CallOf<'createSubscriptionProvider'>,
): Promise<ProviderRowWithNames> {
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    const subscription = await lockSubscription(tx, subscriptionId);
    const packageProvider = await findPackageProvider(tx, input.package_provider_id);
    if (packageProvider?.package_id !== subscription.package_id) {
      throw invalidInput({ package_provider_id: ["The provider is not attached to the subscription's package."] });
    }
    const existing = await lockProviderRows(tx, subscriptionProviders, subscriptionId);
    const row = await addProviderRow({ tx, now }, subscriptionProviders, subscriptionId, {
      existing,
      settings: packageProvider.settings,
      ...input,
      serviceProviderId: packageProvider.service_provider_id,
      packageProviderId: packageProvider.id,
      field: 'package_provider_id',
    });
    await change.emit(providerEvent('created', subscription, { after: row }));
    return await requireProviderWithNames(tx, subscriptionId, row.id);
  });
}

/** The resource type is `SubscriptionProvider`, which differs from the one that `rowEvent` derives from the event name. */
export function providerEvent(
  action: 'created' | 'updated' | 'deleted',
  { subscriber_id: customerId }: Pick<SubscriptionRow, 'subscriber_id'>,
  rows: { readonly before?: SubscriptionProviderRow; readonly after?: SubscriptionProviderRow },
): EventInput {
  const id = (rows.after ?? rows.before)?.id ?? '';
  return {
    name: `subscription_provider.${action}`,
    resource: { type: 'SubscriptionProvider', id },
    customerId,
    ...rows,
  };
}

export async function updateSubscriptionProvider(
  dependencies: Dependencies,
  { actor, params, body: input, immutable }: CallOf<'updateSubscriptionProvider'>,
): Promise<ProviderRowWithNames> {
  const { subscription_id: subscriptionId, provider_id: id } = params;
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    const subscription = await lockSubscription(tx, subscriptionId);
    const row = requireProviderRow(await lockProviderRows(tx, subscriptionProviders, subscriptionId), id);
    refuseChanged(immutable, { ...row });
    const updated = await changeProviderRow({ tx, now }, subscriptionProviders, row, input);
    await change.emit(providerEvent('updated', subscription, { before: row, after: updated }));
    return await requireProviderWithNames(tx, subscriptionId, id);
  });
}

/** @throws 409 if the provider is active or the default. */
export async function removeSubscriptionProvider(
  dependencies: Dependencies,
  { actor, params: { subscription_id: subscriptionId, provider_id: id } }: CallOf<'deleteSubscriptionProvider'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const subscription = await lockSubscription(change.tx, subscriptionId);
    const row = requireProviderRow(await lockProviderRows(change.tx, subscriptionProviders, subscriptionId), id);
    // Before the row is deleted, since the event prints the provider's name.
    await change.emit(providerEvent('deleted', subscription, { before: row }));
    await removeProviderRow(change.tx, subscriptionProviders, row);
  });
}
