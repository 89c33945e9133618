import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { lockCustomerForUse } from '../customers/index.ts';
import { addCreator, addOwner, findOwnerId } from '../memberships/index.ts';
import { consumeWithinLimit, lockSubscriptionForUse, requireFlag } from '../subscriptions/index.ts';
import { type AccountRow, findSubscriberId, insertAccount } from './store.ts';

type Input = InputOf<'createAccount'>;

/**
 * Creates an account for the subscription's customer. The customer's owner becomes the account's owner.
 * @throws 422 naming `subscription_id` or `subscriber_id`, or `feature-limit-reached`; 409 `customer-not-active` or
 * `subscription-not-usable`.
 */
export async function createAccount(dependencies: Dependencies, actor: Actor, input: Input): Promise<AccountRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const subscriberId = await requireSubscriberId(change, input);
    await lockCustomerForUse(change.tx, subscriberId);
    await lockSubscriptionForUse(change, input.subscription_id);
    if (actor.type === 'user') await requireFlag(change, input.subscription_id, 'allow_create_account');
    await consumeWithinLimit(change, input.subscription_id, 'max_accounts');
    const row = await insert(change, subscriberId, input);
    const account = { id: row.id, customerId: subscriberId };
    await addOwner(change, 'account', account, await findOwnerId(change.tx, 'customer', subscriberId));
    await addCreator(change, 'account', account);
    await change.emit(rowEvent('account.created', { after: row }));
    return row;
  });
}

async function requireSubscriberId({ tx }: Change, input: Input): Promise<Uuid> {
  const subscriberId = await findSubscriberId(tx, input.subscription_id);
  if (subscriberId === undefined) throw invalidInput({ subscription_id: ['The selected subscription id is invalid.'] });
  if (input.subscriber_id !== undefined && input.subscriber_id !== subscriberId)
    throw invalidInput({ subscriber_id: ["The subscriber must be the subscription's customer."] });
  return subscriberId;
}

/** Tries again with another key while the random key is taken. */
async function insert({ tx, now }: Change, subscriberId: Uuid, input: Input): Promise<AccountRow> {
  for (;;) {
    const row = await insertAccount(tx, {
      ...newRow(now),
      account_name: input.account_name,
      account_key: randomCode(16),
      tag: input.tag ?? null,
      code: input.code ?? null,
      subscriber_id: subscriberId,
      subscription_id: input.subscription_id,
      status: input.status ?? 'active',
      account_metadata: JSON.stringify(input.account_metadata ?? {}),
    });
    if (row) return row;
  }
}
