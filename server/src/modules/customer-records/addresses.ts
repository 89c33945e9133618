import type { addressEndpoints } from '@foyer/contract/resources/customers/address.ts';
import { inTransaction } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Call } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { lockCustomer } from '../customers/index.ts';
import { promoteNextDefault, claimDefault } from './default-of-type.ts';
import { type AddressRow, insertAddress, removeAddress, requireAddress, storeAddress } from './store.ts';

type Endpoints = typeof addressEndpoints;

const table = { name: 'customer_addresses', type: 'address_type', object: 'Address', noun: 'address' } as const;

/** @throws 404, 422 */
export async function addAddress(
  dependencies: Dependencies,
  { actor, params, body }: Call<Endpoints['createCustomerAddress']>,
): Promise<AddressRow> {
  const { customer_id: customerId } = params;
  const { default: isRequested, metadata, ...input } = body;
  requireLineOrPoBox(input.address_line1 ?? null, input.po_box ?? null);
  return await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await insertAddress(change.tx, {
      id: newUuid(),
      customer_id: customerId,
      is_default: await claimDefault(change, table, customerId, {
        before: null,
        type: input.address_type,
        isRequested,
      }),
      ...withoutUndefined(input),
      address_type: input.address_type,
      country: input.country,
      city: input.city,
      metadata: JSON.stringify(metadata ?? {}),
      created_at: change.now,
      updated_at: change.now,
    });
    await change.emit({
      name: 'address.created',
      resource: { type: 'Address', id: row.id },
      customerId,
      after: row,
    });
    return row;
  });
}

/** @throws 404, 422, 409 `default-required` */
export async function updateAddress(
  dependencies: Dependencies,
  { actor, params, body, immutable }: Call<Endpoints['updateCustomerAddress']>,
): Promise<AddressRow> {
  const { customer_id: customerId, address_id: id } = params;
  const { default: isRequested, metadata, ...input } = body;
  return await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await requireAddress(change.tx, customerId, id);
    refuseChanged(immutable, { ...row });
    requireLineOrPoBox(valueAfter(input.address_line1, row.address_line1), valueAfter(input.po_box, row.po_box));
    const before = { is_default: row.is_default, type: row.address_type };
    const type = input.address_type ?? row.address_type;
    const updated = await storeAddress(change.tx, id, {
      ...withoutUndefined(input),
      is_default: await claimDefault(change, table, customerId, { before, type, isRequested }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata ?? {}) }),
      updated_at: change.now,
    });
    await change.emit({
      name: 'address.updated',
      resource: { type: 'Address', id },
      customerId,
      before: row,
      after: updated,
    });
    if (type !== row.address_type) await promoteNextDefault(change, table, customerId, row.address_type);
    return updated;
  });
}

/** @throws 404 */
export async function deleteAddress(
  dependencies: Dependencies,
  { actor, params }: Call<Endpoints['deleteCustomerAddress']>,
): Promise<void> {
  const { customer_id: customerId, address_id: id } = params;
  await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await requireAddress(change.tx, customerId, id);
    await removeAddress(change.tx, id);
    await change.emit({
      name: 'address.deleted',
      resource: { type: 'Address', id },
      customerId,
      before: row,
    });
    await promoteNextDefault(change, table, customerId, row.address_type);
  });
}

function valueAfter(value: string | null | undefined, stored: string | null): string | null {
  return value === undefined ? stored : value;
}

function requireLineOrPoBox(line: string | null, box: string | null): void {
  if (line === null && box === null) throw invalidInput({ address_line1: ['Enter an address line or a PO box.'] });
}
