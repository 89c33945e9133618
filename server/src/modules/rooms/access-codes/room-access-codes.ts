import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { newUuid } from '../../../platform/identity/identifier.ts';
import { withoutUndefined } from '../../../platform/immutable.ts';
import { accessCodeAlphabet, randomCode } from '../../../platform/crypto/opaque-token.ts';
import {
  insertAccessCode,
  isCodeTaken,
  lockRoom,
  removeAccessCode,
  removeAccessCodesOf,
  requireAccessCode,
  type RoomAccessCodeRow,
  type RoomRow,
  storeAccessCode,
} from '../store.ts';

/** @throws 422 if the room already has the code. */
export async function createAccessCode(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: input }: CallOf<'createRoomAccessCode'>,
): Promise<RoomAccessCodeRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const room = await lockRoom(tx, roomId);
    for (;;) {
      const id = newUuid();
      const row = await insertAccessCode(tx, {
        id,
        room_id: roomId,
        code: input.code ?? randomCode(8, accessCodeAlphabet),
        role: input.role,
        expires_at: input.expires_at ?? null,
        created_at: now,
        updated_at: now,
      });
      if (!row && input.code !== undefined) throw duplicateCode();
      if (!row) continue;
      await emit(rowEvent('room_access_code.created', { customerId: room.customer_id, after: withMaskedCode(row) }));
      return row;
    }
  });
}

export async function updateAccessCode(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, code_id: id }, body: input }: CallOf<'updateRoomAccessCode'>,
): Promise<RoomAccessCodeRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const room = await lockRoom(tx, roomId);
    const row = await requireAccessCode(tx, roomId, id);
    if (input.code !== undefined && (await isCodeTaken(tx, roomId, input.code, id))) throw duplicateCode();
    const updated = await storeAccessCode(tx, id, { ...withoutUndefined(input), updated_at: now });
    await emit(
      rowEvent('room_access_code.updated', {
        customerId: room.customer_id,
        before: withMaskedCode(row),
        after: { ...withMaskedCode(updated), ...(updated.code === row.code ? {} : { secrets_changed: ['code'] }) },
      }),
    );
    return updated;
  });
}

export async function deleteAccessCode(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, code_id: id } }: CallOf<'deleteRoomAccessCode'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async ({ tx, emit }) => {
    const room = await lockRoom(tx, roomId);
    const row = await requireAccessCode(tx, roomId, id);
    await removeAccessCode(tx, id);
    await emit(rowEvent('room_access_code.deleted', { customerId: room.customer_id, before: withMaskedCode(row) }));
  });
}

function duplicateCode() {
  return invalidInput({ code: ['The room already has this code.'] });
}

/** Access codes are deleted with their room. */
export async function deleteAccessCodesOf({ tx, emitAll }: Change, room: RoomRow): Promise<void> {
  const rows = await removeAccessCodesOf(tx, room.id);
  await emitAll(
    rows.map((row) =>
      rowEvent('room_access_code.deleted', { customerId: room.customer_id, before: withMaskedCode(row) }),
    ),
  );
}

/** Access codes are secrets: events and the audit log must not contain them. */
function withMaskedCode(row: RoomAccessCodeRow): RoomAccessCodeRow {
  return { ...row, code: secretMask };
}
