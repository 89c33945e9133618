import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns, refuseChanged } from '../../platform/immutable.ts';
import { requireCustomer } from '../customers/index.ts';
import { lockAccount } from './lock-account.ts';
import { type AccountRow, storeAccount } from './store.ts';

/** @throws 409 `customer-not-active` if the account is activated while its customer is terminated. */
export async function updateAccount(
  dependencies: Dependencies,
  { actor, params: { account_id: id }, body: input, immutable }: CallOf<'updateAccount'>,
): Promise<AccountRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockAccount(tx, id);
    refuseChanged(immutable, { ...row });
    if (input.status === 'active' && row.status !== 'active') {
      const { status } = await requireCustomer(tx, row.subscriber_id);
      if (status === 'terminated')
        throw conflict('customer-not-active', 'The customer is terminated, so its accounts cannot be activated.');
    }
    const updated = await storeAccount(tx, id, {
      ...changedColumns(input, { account_metadata: {} }),
      updated_at: now,
    });
    await emit(rowEvent('account.updated', { before: row, after: updated }));
    return updated;
  });
}
