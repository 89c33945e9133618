import { newRow } from '../../database/row-store.ts';
import type { Change } from '../../events/change.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { changedColumns } from '../../platform/immutable.ts';
import type { CustomerRow } from '../customers/index.ts';
import { type LegalDocumentNumber, type LegalDocumentType, readLegalDocument } from './legal-document-number.ts';
import { addRecord, createDeleteHandler, type RecordKind, updateRecord } from './records.ts';
import { type LegalDocumentRow, legalDocumentStore, refuseDuplicate } from './store.ts';

const kind: RecordKind<LegalDocumentRow> = { noun: 'legal_document', ...legalDocumentStore };

/** @throws 404, 422 */
export async function addLegalDocument(
  dependencies: Dependencies,
  call: CallOf<'createCustomerLegalDocument'>,
): Promise<LegalDocumentRow> {
  const { customer_id: customerId } = call.params;
  const { type, value, country = null, issued_at: issuedOn = null, metadata } = call.body;
  return await addRecord(dependencies, call, kind, async (change, customer) => {
    const number = requireNumber(change, customer, { type, value, country, issuedOn });
    await refuseDuplicate(change.tx, customerId, { type, ...number }, null);
    return await legalDocumentStore.insert(change.tx, {
      ...newRow(change.now),
      customer_id: customerId,
      type,
      ...number,
      issued_at: issuedOn,
      metadata: JSON.stringify(metadata ?? {}),
    });
  });
}

/** A new number or type determines the country again, unless the request names one. @throws 404, 422 */
export async function updateLegalDocument(
  dependencies: Dependencies,
  call: CallOf<'updateCustomerLegalDocument'>,
): Promise<LegalDocumentRow> {
  const { customer_id: customerId, legal_document_id: id } = call.params;
  const { body: input } = call;
  return await updateRecord(dependencies, call, [kind, id], async (change, row, customer) => {
    const type = input.type ?? row.type;
    const isNewNumber = input.value !== undefined || type !== row.type;
    const number = requireNumber(change, customer, {
      type,
      value: input.value ?? row.value,
      country: input.country ?? (isNewNumber && type !== 'other' ? null : row.country),
      issuedOn: input.issued_at === undefined ? row.issued_at : input.issued_at,
    });
    await refuseDuplicate(change.tx, customerId, { type, ...number }, id);
    return await legalDocumentStore.store(change.tx, id, {
      ...changedColumns(input, { metadata: {} }),
      type,
      ...number,
      updated_at: change.now,
    });
  });
}

export const deleteLegalDocument = createDeleteHandler(kind, 'legal_document_id');

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
  const result = readLegalDocument(type, value, country, customer.country);
  const faults: FieldFaults = {
    ...('faults' in result ? result.faults : {}),
    ...(issuedOn !== null && issuedOn > today ? { issued_at: ['The issued at field must not be in the future.'] } : {}),
  };
  if ('faults' in result || Object.keys(faults).length > 0) throw invalidInput(faults);
  return result.number;
}
