import type { Change } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { lifecycleOf } from './lifecycle-of-row.ts';
import { allowedMoves, isUsable } from './lifecycle.ts';
import { refuseMove } from './refuse-move.ts';
import { shareSubscription, type SubscriptionRow } from './store.ts';

/**
 * The subscription that something new is to be built on, kept as it is until the transaction ends.
 * @throws 422 naming `field` when there is none, 409 `subscription-not-usable` when it cannot be used today.
 */
export async function lockSubscriptionForUse(
  { tx, today }: Change,
  id: Uuid,
  field = 'subscription_id',
): Promise<SubscriptionRow> {
  const row = await shareSubscription(tx, id);
  if (!row) throw invalidInput({ [field]: [`The selected ${field.replaceAll('_', ' ')} is invalid.`] });
  if (!isUsable(lifecycleOf(row), today)) {
    throw refuseMove(
      'subscription-not-usable',
      `The subscription cannot be used today: it is ${row.status} and its dates are ${row.starts_at} to ${row.ends_at}.`,
      allowedMoves(lifecycleOf(row), today),
    );
  }
  return row;
}
