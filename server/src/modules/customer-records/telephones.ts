import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns } from '../../platform/immutable.ts';
import { promoteNextDefault, claimDefault } from './default-of-type.ts';
import { addRecord, createDeleteHandler, type RecordKind, updateRecord } from './records.ts';
import { type TelephoneRow, telephoneStore } from './store.ts';
import { readTelephone, type TelephoneNumber } from './telephone-number.ts';

const table = { name: 'customer_telephones', type: 'telephone_type', noun: 'telephone' } as const;

const kind: RecordKind<TelephoneRow> = {
  ...table,
  ...telephoneStore,
  afterWrite: async (change, { customer_id: customerId, telephone_type: type }, after) => {
    if (after?.telephone_type !== type) await promoteNextDefault(change, table, customerId, type);
  },
};

/** @throws 404, 422 */
export async function addTelephone(
  dependencies: Dependencies,
  call: CallOf<'createCustomerTelephone'>,
): Promise<TelephoneRow> {
  const { customer_id: customerId } = call.params;
  const { telephone_type: type, default: isRequested, metadata, ...input } = call.body;
  return await addRecord(dependencies, call, kind, async (change, customer) => {
    const { number, extension } = requireNumber(input.number, customer.country);
    return await telephoneStore.insert(change.tx, {
      ...newRow(change.now),
      customer_id: customerId,
      telephone_type: type,
      is_default: await claimDefault(change, table, customerId, { before: null, type, isRequested }),
      number,
      telephone_extension: input.telephone_extension === undefined ? extension : input.telephone_extension,
      metadata: JSON.stringify(metadata ?? {}),
    });
  });
}

/** @throws 404, 422, 409 `default-required` */
export async function updateTelephone(
  dependencies: Dependencies,
  call: CallOf<'updateCustomerTelephone'>,
): Promise<TelephoneRow> {
  const { customer_id: customerId, telephone_id: id } = call.params;
  const { default: isRequested, number, ...input } = call.body;
  return await updateRecord(dependencies, call, [kind, id], async (change, row, customer) => {
    const parsed = number === undefined ? null : requireNumber(number, customer.country);
    const before = { is_default: row.is_default, type: row.telephone_type };
    const type = input.telephone_type ?? row.telephone_type;
    return await telephoneStore.store(change.tx, id, {
      ...(parsed ? { number: parsed.number } : {}),
      ...(parsed?.extension ? { telephone_extension: parsed.extension } : {}),
      ...changedColumns(input, { metadata: {} }),
      is_default: await claimDefault(change, table, customerId, { before, type, isRequested }),
      updated_at: change.now,
    });
  });
}

export const deleteTelephone = createDeleteHandler(kind, 'telephone_id');

function requireNumber(text: string, country: string): TelephoneNumber {
  const parsed = readTelephone(text, country);
  if (parsed) return parsed;
  const sentence = `Enter a telephone number of ${country}, or start with + and the country code.`;
  throw invalidInput({ number: [sentence] });
}
