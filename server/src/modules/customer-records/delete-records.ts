import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import { addressStore, legalDocumentStore, telephoneStore } from './store.ts';

/** Records are deleted with their customer. */
export async function deleteRecordsOfCustomer(
  { tx, emitAll }: Change,
  { customerId }: ReactionSubjects['customer.deleting'],
): Promise<void> {
  for (const { noun, store } of kinds) {
    const rows = await store.removeOf(tx, customerId);
    await emitAll(rows.map((before) => rowEvent(`${noun}.deleted`, { before })));
  }
}

const kinds = [
  { noun: 'address', store: addressStore },
  { noun: 'telephone', store: telephoneStore },
  { noun: 'legal_document', store: legalDocumentStore },
] as const;
