import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns, refuseChanged } from '../../platform/immutable.ts';
import {
  refuseWithSubCustomers,
  refuseWithHeldSubscriptions,
  refuseSoldByPlatform,
  propagateStatus,
} from './hierarchy.ts';
import { companyNameFaults } from './rules/company-name.ts';
import { readCustomerSettings } from './customer-settings.ts';
import { refuseTransition } from './rules/customer-status.ts';
import { heldByPlatformAfter, refuseHeld } from './platform-hold.ts';
import { type CustomerRow, lockCustomer, storeCustomer, findTakenMembers } from './store.ts';
import { takenFaults } from './rules/unique-members.ts';

/**
 * @throws 422 naming every invalid field; 409 `status-change-not-allowed`, `has-sub-customers`, and for users
 * `held-by-platform` and `sold-by-platform`.
 */
export async function updateCustomer(
  dependencies: Dependencies,
  { actor, params: { customer_id: id }, body: input, immutable }: CallOf<'updateCustomer'>,
): Promise<CustomerRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit, invalidate } = change;
    const row = await lockCustomer(tx, id);
    refuseChanged(immutable, { ...row });
    const companyName = input.company_name === undefined ? row.company_name : input.company_name;
    const faults = {
      ...companyNameFaults(input.customer_type ?? row.customer_type, companyName),
      ...takenFaults(await findTakenMembers(tx, input, id)),
    };
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    refuseTransition(row.status, input.status ?? row.status);
    refuseHeld(actor, row, input.status);
    if (input.status === 'terminated' || (row.is_reseller && input.is_reseller === false))
      await refuseWithSubCustomers(tx, id, input.status !== 'terminated');
    if (input.status === 'terminated') {
      await refuseSoldByPlatform(tx, actor, id);
      await refuseWithHeldSubscriptions(tx, actor, id);
    }
    // Before the status is stored, since events print whether subscriptions were usable before.
    if (input.status === 'terminated' && row.status !== 'terminated')
      await change.react('customer.terminating', { customerId: id });
    const updated = await storeCustomer(tx, id, {
      ...changedColumns(
        {
          ...input,
          customer_settings: input.customer_settings && readCustomerSettings(input.customer_settings),
          held_by_platform: heldByPlatformAfter(actor, input.status),
        },
        {
          allowed_domains_origins: [],
          allowed_domains_registration: [],
          customer_settings: {},
          customer_metadata: {},
        },
      ),
      updated_at: now,
    });
    if (updated.effective_status !== row.effective_status) await propagateStatus(tx, updated);
    if (input.allowed_domains_origins !== undefined || updated.effective_status !== row.effective_status)
      invalidate('origins');
    await emit(rowEvent('customer.updated', { customerId: id, before: row, after: updated }));
    return updated;
  });
}
