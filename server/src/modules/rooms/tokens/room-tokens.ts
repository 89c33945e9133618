import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { type FieldFaults, invalidInput, notFound } from '../../../platform/failures.ts';
import type { Actor, CallOf } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { withoutUndefined } from '../../../platform/immutable.ts';
import { hashToken } from '../../../platform/crypto/opaque-token.ts';
import { refuseHiddenToken, refuseModeratorRole, userOf } from './moderator-tokens.ts';
import { tokenUrl } from '../room-url.ts';
import { lockRoomForKeyShare } from '../store.ts';
import { faultsOfTimes, findBindableUsers, requestedColumns, type TokenInput, unknownUser } from './token-options.ts';
import { draftToken, tokenAssociatedData } from './token-encryption.ts';
import {
  insertRoomToken,
  lockRoomToken,
  type PrintedTokenRow,
  removeRoomTokens,
  removeTokensOfUser,
  requireRoomToken,
  lockUsersForKeyShare,
  storeRoomToken,
} from './token-store.ts';

/**
 * @throws 422 if the token expires before it becomes valid, or cannot be bound to the user; 403 `privilege-escalation`
 */
export async function createRoomToken(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  input: TokenInput,
): Promise<PrintedTokenRow> {
  const { token, columns } = await draftToken(dependencies);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const room = await lockRoomForKeyShare(tx, roomId);
    await refuseModeratorRole(tx, actor, roomId, [input.role]);
    throwIfInvalid({ ...faultsOfTimes(input), ...(await faultsOfUser(change, room.customer_id, input.user_id)) });
    const row = await insertRoomToken(tx, {
      ...columns,
      ...requestedColumns(input),
      room_id: roomId,
      created_at: now,
      updated_at: now,
    });
    const printed = { ...row, slug: room.slug };
    await emit(rowEvent('room_token.created', { customerId: room.customer_id, after: printed }));
    return { ...printed, token };
  });
}

/** @throws 422 if the token or its URL would change, and as `createRoomToken` */
export async function updateRoomToken(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, token_id: id }, body: input, immutable }: CallOf<'updateRoomToken'>,
): Promise<PrintedTokenRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const room = await lockRoomForKeyShare(tx, roomId);
    const row = await lockRoomToken(tx, roomId, id);
    await refuseHiddenToken(tx, userOf(actor), row);
    await refuseModeratorRole(tx, actor, roomId, [input.role]);
    if (typeof immutable['token'] === 'string' && !hashToken(immutable['token']).equals(row.token_hash)) {
      throw invalidInput({ token: ['The token cannot be changed.'] });
    }
    const token = await dependencies.secretBox.open(row.token_sealed, tokenAssociatedData(id));
    if (immutable.url !== undefined && immutable.url !== tokenUrl(dependencies.publicUrl(), room, token)) {
      throw invalidInput({ url: ['The url cannot be changed.'] });
    }
    const changesTimes = input.not_before !== undefined || input.expires_at !== undefined;
    const changesUser = input.user_id !== undefined && input.user_id !== row.user_id;
    throwIfInvalid({
      ...(changesTimes ? faultsOfTimes({ ...row, ...withoutUndefined(input) }) : {}),
      ...(changesUser ? await faultsOfUser(change, room.customer_id, input.user_id) : {}),
    });
    const updated = await storeRoomToken(tx, id, { ...withoutUndefined(input), updated_at: now });
    await emit(rowEvent('room_token.updated', { customerId: room.customer_id, before: row, after: updated }));
    return await requireRoomToken(tx, roomId, id);
  });
}

export async function deleteRoomToken(dependencies: Dependencies, actor: Actor, roomId: Uuid, id: Uuid): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit }) => {
    const room = await lockRoomForKeyShare(tx, roomId);
    const token = await requireRoomToken(tx, roomId, id);
    const [row] = await removeRoomTokens(tx, [token.id]);
    if (!row) throw notFound('The token was not found.');
    await refuseHiddenToken(tx, userOf(actor), row);
    await emit(rowEvent('room_token.deleted', { customerId: room.customer_id, before: { ...row, slug: room.slug } }));
  });
}

/** A personal token is deleted with its user, so that no one else can use it. */
export async function deleteTokensOfUser(change: Change, userId: Uuid): Promise<void> {
  const removed = await removeTokensOfUser(change.tx, userId);
  await change.emitAll(
    removed.map(({ customer_id: customerId, ...before }) => rowEvent('room_token.deleted', { customerId, before })),
  );
}

async function faultsOfUser(
  { tx, actor }: Change,
  customerId: Uuid,
  userId: Uuid | null | undefined,
): Promise<FieldFaults> {
  if (!userId) return {};
  const bindableUsers = await findBindableUsers(tx, actor, customerId, await lockUsersForKeyShare(tx, [userId]));
  return bindableUsers.has(userId) ? {} : { user_id: [unknownUser] };
}

function throwIfInvalid(faults: FieldFaults): void {
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}
