import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns, withoutUndefined } from '../../platform/immutable.ts';
import { promoteNextDefault, claimDefault } from './default-of-type.ts';
import { addRecord, createDeleteHandler, type RecordKind, updateRecord } from './records.ts';
import { type AddressRow, addressStore } from './store.ts';

const table = { name: 'customer_addresses', type: 'address_type', noun: 'address' } as const;

const kind: RecordKind<AddressRow> = {
  ...table,
  ...addressStore,
  afterWrite: async (change, { customer_id: customerId, address_type: type }, after) => {
    if (after?.address_type !== type) await promoteNextDefault(change, table, customerId, type);
  },
};

/** @throws 404, 422 */
export async function addAddress(
  dependencies: Dependencies,
  call: CallOf<'createCustomerAddress'>,
): Promise<AddressRow> {
  const { customer_id: customerId } = call.params;
  const { default: isRequested, metadata, ...input } = call.body;
  const { address_type: type, country, city } = input;
  requireLineOrPoBox(input.address_line1 ?? null, input.po_box ?? null);
  return await addRecord(dependencies, call, kind, async (change) =>
    addressStore.insert(change.tx, {
      ...newRow(change.now),
      customer_id: customerId,
      is_default: await claimDefault(change, table, customerId, { before: null, type, isRequested }),
      ...withoutUndefined(input),
      address_type: type,
      country,
      city,
      metadata: JSON.stringify(metadata ?? {}),
    }),
  );
}

/** @throws 404, 422, 409 `default-required` */
export async function updateAddress(
  dependencies: Dependencies,
  call: CallOf<'updateCustomerAddress'>,
): Promise<AddressRow> {
  const { customer_id: customerId, address_id: id } = call.params;
  const { default: isRequested, ...input } = call.body;
  return await updateRecord(dependencies, call, [kind, id], async (change, row) => {
    requireLineOrPoBox(valueAfter(input.address_line1, row.address_line1), valueAfter(input.po_box, row.po_box));
    const before = { is_default: row.is_default, type: row.address_type };
    const type = input.address_type ?? row.address_type;
    return await addressStore.store(change.tx, id, {
      ...changedColumns(input, { metadata: {} }),
      is_default: await claimDefault(change, table, customerId, { before, type, isRequested }),
      updated_at: change.now,
    });
  });
}

export const deleteAddress = createDeleteHandler(kind, 'address_id');

function valueAfter(value: string | null | undefined, stored: string | null): string | null {
  return value === undefined ? stored : value;
}

function requireLineOrPoBox(line: string | null, box: string | null): void {
  if (line === null && box === null) throw invalidInput({ address_line1: ['Enter an address line or a PO box.'] });
}
