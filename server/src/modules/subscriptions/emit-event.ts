import type { Change } from '../../events/change.ts';
import type { EventInput } from '../../events/event-data.ts';
import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { SubscriptionRow } from './store.ts';

export async function emitSubscriptionEvent(
  change: Change,
  name: EventName,
  subscription: SubscriptionRow,
  values: Pick<EventInput, 'before' | 'after' | 'details'>,
): Promise<void> {
  await change.emit({
    name,
    resource: { type: 'ServicePackageSubscription', id: subscription.id },
    customerId: subscription.subscriber_id,
    ...values,
  });
}
