import type { Change } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import { addressStore, legalDocumentStore, telephoneStore } from './store.ts';

/** Records are deleted with their customer. */
export async function deleteRecordsOfCustomer(
  { tx, emitAll }: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const { object, noun, store } of kinds) {
    const rows = await store.removeOf(tx, customerId);
    await emitAll(
      rows.map((row) => ({
        name: `${noun}.deleted` as const,
        resource: { type: object, id: row.id },
        customerId,
        before: row,
      })),
    );
  }
}

const kinds = [
  { object: 'Address', noun: 'address', store: addressStore },
  { object: 'Telephone', noun: 'telephone', store: telephoneStore },
  { object: 'LegalDocument', noun: 'legal_document', store: legalDocumentStore },
] as const;
