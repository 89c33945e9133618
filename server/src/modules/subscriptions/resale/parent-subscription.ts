import type { Change } from '../../../events/change.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { Principal } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { CustomerRow } from '../../customers/index.ts';
import { lockSubscriptionForUse } from '../lifecycle/use-subscription.ts';
import type { SubscriptionRow } from '../store.ts';
import { findParentCandidates } from './allocation-store.ts';

interface ParentInput {
  readonly package_id: Uuid;
  readonly parent_subscription_id?: Uuid | null;
}

/**
 * Locks the reseller's subscription that the new one is resold from, for share. Null if the platform sells it directly,
 * which only administrators and services can request.
 * @throws 422 naming `package_id` or `parent_subscription_id`; 409 `subscription-not-usable`
 */
export async function lockParentSubscription(
  change: Change,
  principal: Principal | null,
  customer: CustomerRow,
  input: ParentInput,
): Promise<SubscriptionRow | null> {
  const requestedId = input.parent_subscription_id ?? null;
  if (requestedId === null && principal?.kind !== 'user') return null;
  const field = 'parent_subscription_id';
  const candidates =
    customer.parent_customer_id === null
      ? []
      : await findParentCandidates(change.tx, customer.parent_customer_id, input.package_id);
  if (requestedId === null && candidates.length > 1)
    throw invalidInput({ [field]: ['The reseller has several subscriptions to this package. Select one of them.'] });
  const parent = candidates.find(({ id }) => requestedId === null || id === requestedId);
  if (!parent)
    throw invalidInput(
      requestedId === null
        ? { package_id: ['The reseller is not subscribed to this package.'] }
        : { [field]: ['The selected parent subscription is not a subscription of the reseller to this package.'] },
    );
  return await lockSubscriptionForUse(change, parent.id, field);
}
