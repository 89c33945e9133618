import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { findRoomForTokens } from '../store.ts';
import {
  type NextRows,
  insertRoomTokens,
  type OpenBatch,
  requireTokenBatch,
  storeProgress,
  lockNextRows,
} from './token-batch-store.ts';
import { requestedColumns, unknownUser } from './token-options.ts';
import { draftToken, type TokenDraft } from './token-encryption.ts';
import { lockUsersForKeyShare } from './token-store.ts';

/** Bounds the work that a crash loses and the time that locks are held. */
export const tokensPerTransaction = 250;

/**
 * Creates the next tokens of a batch, on behalf of the actor who requested it. Tokens and progress are stored in one
 * transaction, so that each row gets exactly one token despite crashes and concurrent workers.
 * @returns the number of rows processed; 0 if none are left or another worker has locked the batch.
 */
export async function createNextTokens(dependencies: Dependencies, batch: OpenBatch): Promise<number> {
  const drafts = await Promise.all(Array.from({ length: tokensPerTransaction }, () => draftToken(dependencies)));
  return await inTransaction(dependencies, batch.actor, async (change) => {
    const room = await findRoomForTokens(change.tx, batch.room_id);
    const nextRows = room && (await lockNextRows(change.tx, batch.id, tokensPerTransaction));
    if (!room || !nextRows) return 0;
    await createFromDrafts(change, { ...batch, customerId: room.customer_id }, nextRows, drafts);
    return nextRows.rows.length;
  });
}

async function createFromDrafts(
  { tx, now, emit, emitAll }: Change,
  { id, room_id: roomId, customerId }: OpenBatch & { readonly customerId: Uuid },
  { rows, processed }: NextRows,
  drafts: readonly TokenDraft[],
): Promise<void> {
  const numbered = rows.map((row, index) => ({ ...row, number: processed + index }));
  // A row whose user was deleted fails, since a token without a user would admit anyone.
  const users = new Set(
    await lockUsersForKeyShare(tx, [...new Set(rows.flatMap(({ user_id: userId }) => userId ?? []))]),
  );
  const [bindable, unbindable] = [numbered.filter(isBindable), numbered.filter((row) => !isBindable(row))];
  function isBindable({ user_id: userId }: { user_id?: string | null }): boolean {
    return !userId || users.has(userId);
  }
  const created = await insertRoomTokens(
    tx,
    bindable.flatMap((row, index) => {
      const drafted = drafts[index];
      if (!drafted) return [];
      return {
        ...drafted.columns,
        ...requestedColumns(row),
        room_id: roomId,
        batch_id: id,
        batch_row: row.number,
        created_at: now,
        updated_at: now,
      };
    }),
  );
  await emitAll(created.map((row) => rowEvent('room_token.created', { customerId, after: row })));
  const failures = unbindable.map(({ number }) => ({ row: number, message: unknownUser }));
  const before = await requireTokenBatch(tx, roomId, id);
  const stored = await storeProgress(tx, id, { created: created.length, failures }, now);
  if (stored.status !== 'done') return;
  await emit(rowEvent('room_token_batch.done', { customerId, before, after: stored }));
}
