import type { telephoneEndpoints } from '@foyer/contract/resources/customers/telephone.ts';
import { inTransaction } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Call } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { lockCustomer } from '../customers/index.ts';
import { promoteNextDefault, claimDefault } from './default-of-type.ts';
import { insertTelephone, removeTelephone, requireTelephone, storeTelephone, type TelephoneRow } from './store.ts';
import { readTelephone, type TelephoneNumber } from './telephone-number.ts';

type Endpoints = typeof telephoneEndpoints;

const table = { name: 'customer_telephones', type: 'telephone_type', object: 'Telephone', noun: 'telephone' } as const;

/** @throws 404, 422 */
export async function addTelephone(
  dependencies: Dependencies,
  { actor, params, body: input }: Call<Endpoints['createCustomerTelephone']>,
): Promise<TelephoneRow> {
  const { customer_id: customerId } = params;
  return await inTransaction(dependencies, actor, async (change) => {
    const customer = await lockCustomer(change.tx, customerId);
    const { number, extension } = requireNumber(input.number, customer.country);
    const row = await insertTelephone(change.tx, {
      id: newUuid(),
      customer_id: customerId,
      telephone_type: input.telephone_type,
      is_default: await claimDefault(change, table, customerId, {
        before: null,
        type: input.telephone_type,
        isRequested: input.default,
      }),
      number,
      telephone_extension: input.telephone_extension === undefined ? extension : input.telephone_extension,
      metadata: JSON.stringify(input.metadata ?? {}),
      created_at: change.now,
      updated_at: change.now,
    });
    await change.emit({
      name: 'telephone.created',
      resource: { type: 'Telephone', id: row.id },
      customerId,
      after: row,
    });
    return row;
  });
}

/** @throws 404, 422, 409 `default-required` */
export async function updateTelephone(
  dependencies: Dependencies,
  { actor, params, body, immutable }: Call<Endpoints['updateCustomerTelephone']>,
): Promise<TelephoneRow> {
  const { customer_id: customerId, telephone_id: id } = params;
  const { default: isRequested, metadata, number, ...input } = body;
  return await inTransaction(dependencies, actor, async (change) => {
    const customer = await lockCustomer(change.tx, customerId);
    const row = await requireTelephone(change.tx, customerId, id);
    refuseChanged(immutable, { ...row });
    const read = number === undefined ? null : requireNumber(number, customer.country);
    const before = { is_default: row.is_default, type: row.telephone_type };
    const type = input.telephone_type ?? row.telephone_type;
    const updated = await storeTelephone(change.tx, id, {
      ...(read ? { number: read.number } : {}),
      ...(read?.extension ? { telephone_extension: read.extension } : {}),
      ...withoutUndefined(input),
      is_default: await claimDefault(change, table, customerId, { before, type, isRequested }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata ?? {}) }),
      updated_at: change.now,
    });
    await change.emit({
      name: 'telephone.updated',
      resource: { type: 'Telephone', id },
      customerId,
      before: row,
      after: updated,
    });
    if (type !== row.telephone_type) await promoteNextDefault(change, table, customerId, row.telephone_type);
    return updated;
  });
}

/** @throws 404 */
export async function deleteTelephone(
  dependencies: Dependencies,
  { actor, params }: Call<Endpoints['deleteCustomerTelephone']>,
): Promise<void> {
  const { customer_id: customerId, telephone_id: id } = params;
  await inTransaction(dependencies, actor, async (change) => {
    await lockCustomer(change.tx, customerId);
    const row = await requireTelephone(change.tx, customerId, id);
    await removeTelephone(change.tx, id);
    await change.emit({
      name: 'telephone.deleted',
      resource: { type: 'Telephone', id },
      customerId,
      before: row,
    });
    await promoteNextDefault(change, table, customerId, row.telephone_type);
  });
}

function requireNumber(text: string, country: string): TelephoneNumber {
  const read = readTelephone(text, country);
  if (read) return read;
  const sentence = `Enter a telephone number of ${country}, or start with + and the country code.`;
  throw invalidInput({ number: [sentence] });
}
