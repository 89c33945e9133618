import type { legalDocumentEndpoints } from '@foyer/contract/resources/customers/legal-document.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Call } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { type CustomerRow, lockCustomer } from '../customers/index.ts';
import { type LegalDocumentNumber, type LegalDocumentType, readLegalDocument } from './legal-document-number.ts';
import {
  insertLegalDocument,
  type LegalDocumentRow,
  refuseDuplicate,
  removeLegalDocument,
  requireLegalDocument,
  storeLegalDocument,
} from './store.ts';

type Endpoints = typeof legalDocumentEndpoints;

/** @throws 404, 422 */
export async function addLegalDocument(
  dependencies: Dependencies,
  { actor, params, body }: Call<Endpoints['createCustomerLegalDocument']>,
): Promise<LegalDocumentRow> {
  const { customer_id: customerId } = params;
  const { type, value, country, issued_at, metadata } = body;
  return await inTransaction(dependencies, actor, async (change) => {
    const customer = await lockCustomer(change.tx, customerId);
    const number = requireNumber(change, customer, {
      type,
      value,
      country: country ?? null,
      issuedOn: issued_at ?? null,
    });
    await refuseDuplicate(change.tx, customerId, { type, ...number }, null);
    const row = await insertLegalDocument(change.tx, {
      id: newUuid(),
      customer_id: customerId,
      type,
      country: number.country,
      value: number.value,
      issued_at: issued_at ?? null,
      metadata: JSON.stringify(metadata ?? {}),
      created_at: change.now,
      updated_at: change.now,
    });
    await change.emit({
      name: 'legal_document.created',
      resource: { type: 'LegalDocument', id: row.id },
      customerId,
      after: row,
    });
    return row;
  });
}

/** A new number or type determines the country again, unless the request names one. @throws 404, 422 */
export async function updateLegalDocument(
  dependencies: Dependencies,
  { actor, params, body: input, immutable }: Call<Endpoints['updateCustomerLegalDocument']>,
): Promise<LegalDocumentRow> {
  const { customer_id: customerId, legal_document_id: id } = params;
  return await inTransaction(dependencies, actor, async (change) => {
    const customer = await lockCustomer(change.tx, customerId);
    const row = await requireLegalDocument(change.tx, customerId, id);
    refuseChanged(immutable, { ...row });
    const type = input.type ?? row.type;
    const isNewNumber = input.value !== undefined || type !== row.type;
    const number = requireNumber(change, customer, {
      type,
      value: input.value ?? row.value,
      country: input.country ?? (isNewNumber && type !== 'other' ? null : row.country),
      issuedOn: input.issued_at === undefined ? row.issued_at : input.issued_at,
    });
    await refuseDuplicate(change.tx, customerId, { type, ...number }, id);
    const updated = await storeLegalDocument(change.tx, id, {
      type,
      country: number.country,
      value: number.value,
      ...(input.issued_at === undefined ? {} : { issued_at: input.issued_at }),
      ...(input.metadata === undefined ? {} : { metadata: JSON.stringify(input.metadata ?? {}) }),
      updated_at: change.now,
    });
    await change.emit({
      name: 'legal_document.updated',
      resource: { type: 'LegalDocument', id },
      customerId,
      before: row,
      after: updated,
    });
    return updated;
  });
}

/** @throws 404 */
export async function deleteLegalDocument(
  dependencies: Dependencies,
  { actor, params }: Call<Endpoints['deleteCustomerLegalDocument']>,
): Promise<void> {
  const { customer_id: customerId, legal_document_id: id } = params;
  await inTransaction(dependencies, actor, async ({ tx, emit }) => {
    await lockCustomer(tx, customerId);
    const row = await requireLegalDocument(tx, customerId, id);
    await removeLegalDocument(tx, id);
    await emit({
      name: 'legal_document.deleted',
      resource: { type: 'LegalDocument', id },
      customerId,
      before: row,
    });
  });
}

interface NumberInput {
  readonly type: LegalDocumentType;
  readonly value: string;
  readonly country: string | null;
  /** A day. */
  readonly issuedOn: string | null;
}

/** @throws 422 naming every invalid field */
function requireNumber(
  { today }: Change,
  customer: CustomerRow,
  { type, value, country, issuedOn }: NumberInput,
): LegalDocumentNumber {
  const read = readLegalDocument(type, value, country, customer.country);
  const faults: FieldFaults = {
    ...('faults' in read ? read.faults : {}),
    ...(issuedOn !== null && issuedOn > today ? { issued_at: ['The issued at field must not be in the future.'] } : {}),
  };
  if ('faults' in read || Object.keys(faults).length > 0) throw invalidInput(faults);
  return read.number;
}
