import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { roomTokenEndpoints } from '@foyer/contract/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import { newUuid, type Uuid } from '../../platform/identifier.ts';
import { present } from '../../platform/immutable.ts';
import { createOpaqueToken, hashToken } from '../../platform/opaque-token.ts';
import { tokenUrl } from './room-url.ts';
import {
  insertRoomToken,
  lockRoomToken,
  type PrintedTokenRow,
  removeRoomToken,
  requireRoomToken,
  shareRoom,
  storeRoomToken,
} from './store.ts';
import { tokenPlace } from './token-place.ts';

type CreateInput = BodyOf<(typeof roomTokenEndpoints)['createRoomToken']>;
type UpdateInput = BodyOf<(typeof roomTokenEndpoints)['updateRoomToken']>;

/** The token is kept sealed, and found by its hash. */
export async function createRoomToken(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  input: CreateInput,
): Promise<PrintedTokenRow> {
  const id = newUuid();
  const token = createOpaqueToken('frm');
  const sealed = await dependencies.secretBox.seal(token, tokenPlace(id));
  return await change(dependencies, actor, async ({ tx, now, emit }) => {
    const room = await shareRoom(tx, roomId);
    const row = await insertRoomToken(tx, {
      id,
      room_id: roomId,
      token_hash: hashToken(token),
      token_sealed: sealed,
      role: input.role,
      name: input.name ?? null,
      expires_at: input.expires_at ?? null,
      created_at: now,
      updated_at: now,
    });
    await emit({
      name: 'room.token_created',
      resource: { type: 'RoomToken', id },
      customerId: room.customer_id,
      after: row,
    });
    return { ...row, slug: room.slug, token };
  });
}

/** @throws 422 when the token itself or its address is to be another one. */
export async function updateRoomToken(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  id: Uuid,
  input: UpdateInput,
  immutable: { readonly token?: string; readonly url?: string },
): Promise<PrintedTokenRow> {
  return await change(dependencies, actor, async ({ tx, now, emit }) => {
    const room = await shareRoom(tx, roomId);
    const row = await lockRoomToken(tx, roomId, id);
    if (immutable.token !== undefined && !hashToken(immutable.token).equals(row.token_hash)) {
      throw invalidInput({ token: ['The token cannot be changed.'] });
    }
    const token = await dependencies.secretBox.open(row.token_sealed, tokenPlace(id));
    if (immutable.url !== undefined && immutable.url !== tokenUrl(dependencies.publicUrl(), room, token)) {
      throw invalidInput({ url: ['The url cannot be changed.'] });
    }
    const updated = await storeRoomToken(tx, id, { ...present(input), updated_at: now });
    await emit({
      name: 'room.token_updated',
      resource: { type: 'RoomToken', id },
      customerId: room.customer_id,
      before: row,
      after: updated,
    });
    return await requireRoomToken(tx, roomId, id);
  });
}

export async function deleteRoomToken(dependencies: Dependencies, actor: Actor, roomId: Uuid, id: Uuid): Promise<void> {
  await change(dependencies, actor, async ({ tx, emit }) => {
    const room = await shareRoom(tx, roomId);
    const row = await lockRoomToken(tx, roomId, id);
    await removeRoomToken(tx, id);
    await emit({
      name: 'room.token_deleted',
      resource: { type: 'RoomToken', id },
      customerId: room.customer_id,
      before: row,
    });
  });
}
