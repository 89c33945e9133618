import { newRow } from '../../../database/row-store.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { refuseModeratorRole } from './moderator-tokens.ts';
import { lockRoomForKeyShare, type RoomRow } from '../store.ts';
import {
  insertTokenBatch,
  lockTokenBatch,
  removeTokenBatch,
  removeBatchesOf,
  removeTokensOf,
  rolesOfBatch,
  type TokenBatchRow,
} from './token-batch-store.ts';
import { findBindableUsers, findBindableUsersByEmail } from './token-options.ts';
import type { RoomTokenRow } from './token-store.ts';
import { faultsOfRows, readTokenRows, resolveUsers } from './token-rows.ts';

/**
 * Stores the rows; a job creates the tokens.
 * @throws 422 naming the first invalid cells, 403 `privilege-escalation`
 */
export async function createTokenBatch(
  dependencies: Dependencies,
  { actor, reader, params: { room_id: roomId }, body: input }: CallOf<'createRoomTokenBatch'>,
): Promise<TokenBatchRow> {
  const parsed = await readTokenRows(input);
  const mayReadUsers = reader.userId === null && reader.may('read-users');
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const room = await lockRoomForKeyShare(tx, roomId);
    await refuseModeratorRole(
      tx,
      actor,
      roomId,
      parsed.map(({ role }) => role),
    );
    const userIds = [...new Set(parsed.flatMap(({ user_id: id }) => id ?? []))];
    const emails = [...new Set(parsed.flatMap(({ email }) => email ?? []))];
    const users = {
      ids: await findBindableUsers(tx, actor, room.customer_id, userIds),
      byEmail: await findBindableUsersByEmail(tx, actor, room.customer_id, { emails, mayReadUsers }),
    };
    const faults = faultsOfRows(parsed, users);
    if (Object.keys(faults.named).length > 0) throw invalidInput(faults.named, 'validation-failed', faults.unnamed);
    const rows = resolveUsers(parsed, users);
    const batch = await insertTokenBatch(tx, {
      ...newRow(now),
      room_id: roomId,
      name: input.name ?? null,
      status: 'waiting',
      total: rows.length,
      rows: JSON.stringify(rows),
      actor: JSON.stringify(actor),
    });
    await emit(rowEvent('room_token_batch.created', { customerId: room.customer_id, after: batch }));
    invalidate('room-tokens');
    return batch;
  });
}

/**
 * Deletes the batch with its tokens. Remaining rows are not processed.
 * @throws 403 `privilege-escalation`
 */
export async function deleteTokenBatch(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, batch_id: id } }: CallOf<'deleteRoomTokenBatch'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const { tx } = change;
    const room = await lockRoomForKeyShare(tx, roomId);
    const batch = await lockTokenBatch(tx, roomId, id);
    await refuseModeratorRole(tx, actor, roomId, await rolesOfBatch(tx, id));
    await deleteTokens(change, room, removeTokensOf(tx, 'batch_id', id));
    await removeTokenBatch(tx, id);
    await change.emit(batchDeletion(room, batch));
  });
}

/** Tokens and batches are deleted with their room. */
export async function deleteTokensOfRoom(change: Change, room: RoomRow): Promise<void> {
  await deleteTokens(change, room, removeTokensOf(change.tx, 'room_id', room.id));
  const batches = await removeBatchesOf(change.tx, room.id);
  await change.emitAll(batches.map((batch) => batchDeletion(room, batch)));
}

async function deleteTokens(change: Change, room: RoomRow, removed: AsyncIterable<RoomTokenRow[]>): Promise<void> {
  for await (const rows of removed) {
    await change.emitAll(
      rows.map((row) =>
        rowEvent('room_token.deleted', { customerId: room.customer_id, before: { ...row, slug: room.slug } }),
      ),
    );
  }
}

function batchDeletion(room: RoomRow, batch: TokenBatchRow): EventInput {
  return rowEvent('room_token_batch.deleted', { customerId: room.customer_id, before: batch });
}
