import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Call } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { type CustomerRow, lockCustomer } from '../customers/index.ts';
import { addressStore, legalDocumentStore, telephoneStore } from './store.ts';

/** A kind of record. A customer can have any number of each kind. */
export interface RecordKind<Row extends { id: Uuid }> {
  readonly noun: 'address' | 'telephone' | 'legal_document';
  /** @throws 404 */
  readonly require: (tx: Tx, customerId: Uuid, id: Uuid) => Promise<Row>;
  readonly remove: (tx: Tx, id: Uuid) => Promise<void>;
  /** Runs after a change, and with null after a deletion. */
  readonly afterWrite?: (change: Change, before: Row, after: Row | null) => Promise<void>;
}

type RecordCall = Pick<Call, 'actor'> & { readonly params: { readonly customer_id: Uuid } };

/** Inserts a record with its customer locked. @throws 404 */
export async function addRecord<Row extends { id: Uuid }>(
  dependencies: Dependencies,
  { actor, params: { customer_id: customerId } }: RecordCall,
  { noun }: RecordKind<Row>,
  insert: (change: Change, customer: CustomerRow) => Promise<Row>,
): Promise<Row> {
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await insert(change, await lockCustomer(change.tx, customerId));
    await change.emit(rowEvent(`${noun}.created`, { after: row }));
    return row;
  });
}

/** Changes a record with its customer locked. @throws 404, 422 for a changed immutable member */
export async function updateRecord<Row extends { id: Uuid }>(
  dependencies: Dependencies,
  call: RecordCall & Pick<Call, 'immutable'>,
  [kind, id]: readonly [RecordKind<Row>, Uuid],
  store: (change: Change, row: Row, customer: CustomerRow) => Promise<Row>,
): Promise<Row> {
  const { customer_id: customerId } = call.params;
  return await inTransaction(dependencies, call.actor, async (change) => {
    const customer = await lockCustomer(change.tx, customerId);
    const before = await kind.require(change.tx, customerId, id);
    refuseChanged(call.immutable, { ...before });
    const after = await store(change, before, customer);
    await change.emit(rowEvent(`${kind.noun}.updated`, { before, after }));
    await kind.afterWrite?.(change, before, after);
    return after;
  });
}

/**
 * Creates the handler that deletes a record. The handler throws 404.
 * @param parameter the path parameter with the record's id
 */
export function createDeleteHandler<Row extends { id: Uuid }, Parameter extends string>(
  kind: RecordKind<Row>,
  parameter: Parameter,
) {
  type Params = Readonly<Record<'customer_id' | Parameter, Uuid>>;
  return async (dependencies: Dependencies, { actor, params }: Pick<Call, 'actor'> & { readonly params: Params }) => {
    const { customer_id: customerId, [parameter]: id } = params;
    await inTransaction(dependencies, actor, async (change) => {
      await lockCustomer(change.tx, customerId);
      const before = await kind.require(change.tx, customerId, id);
      await kind.remove(change.tx, id);
      await change.emit(rowEvent(`${kind.noun}.deleted`, { before }));
      await kind.afterWrite?.(change, before, null);
    });
  };
}

/** Records are deleted with their customer. */
export async function deleteRecordsOfCustomer({ tx, emitAll }: Change, customerId: Uuid): Promise<void> {
  for (const { noun, store } of kinds) {
    const rows = await store.removeAllOfCustomer(tx, customerId);
    await emitAll(rows.map((before) => rowEvent(`${noun}.deleted`, { before })));
  }
}

const kinds = [
  { noun: 'address', store: addressStore },
  { noun: 'telephone', store: telephoneStore },
  { noun: 'legal_document', store: legalDocumentStore },
] as const;
