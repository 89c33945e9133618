import type { addressEndpoints } from '@foyer/contract/resources/address.ts';
import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { lockCustomer } from '../customers/index.ts';
import { promoteNextDefault, claimDefault } from './default-of-type.ts';
import { type AddressRow, insertAddress, removeAddress, requireAddress, storeAddress } from './store.ts';

type CreateInput = BodyOf<(typeof addressEndpoints)['createCustomerAddress']>;
type UpdateInput = BodyOf<(typeof addressEndpoints)['updateCustomerAddress']>;

const table = { name: 'customer_addresses', type: 'address_type', object: 'Address', noun: 'address' } as const;

/** @throws 404, 422 */
export async function addAddress(
  dependencies: Dependencies,
  actor: Actor,
  customerId: Uuid,
  { default: isRequested, metadata, ...input }: CreateInput,
): Promise<AddressRow> {
  requireLineOrPoBox(input.address_line1 ?? null, input.po_box ?? null);
  return await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await insertAddress(change.tx, {
      id: newUuid(),
      customer_id: customerId,
      is_default: await claimDefault(change, table, customerId, null, input.address_type, isRequested),
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
  actor: Actor,
  customerId: Uuid,
  id: Uuid,
  { default: isRequested, metadata, ...input }: UpdateInput,
  immutable: Readonly<Record<string, unknown>>,
): Promise<AddressRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await requireAddress(change.tx, customerId, id);
    refuseChanged(immutable, { ...row });
    requireLineOrPoBox(valueAfter(input.address_line1, row.address_line1), valueAfter(input.po_box, row.po_box));
    const before = { is_default: row.is_default, type: row.address_type };
    const type = input.address_type ?? row.address_type;
    const updated = await storeAddress(change.tx, id, {
      ...withoutUndefined(input),
      is_default: await claimDefault(change, table, customerId, before, type, isRequested),
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
  actor: Actor,
  customerId: Uuid,
  id: Uuid,
): Promise<void> {
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
