import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import type { Change, Tx } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { newUuid, type Uuid } from '../../../platform/identity/identifier.ts';
import { lockRoom, type RoomRow } from '../store.ts';
import { refuseModeratorRole } from './moderator-tokens.ts';
import { insertRoomTokens } from './token-batch-store.ts';
import { tokenAssociatedData } from './token-encryption.ts';
import { lockRoomToken, type PrintedTokenRow, storeRoomToken } from './token-store.ts';

export type InvitingRoom = RoomRow & { readonly customer_name: string };

/** Serializes invitations to a room. @throws 404 */
export async function lockRoomForInvitations(tx: Tx, roomId: Uuid): Promise<InvitingRoom> {
  const room = await lockRoom(tx, roomId);
  const { rows } = await sql<{ name: string }>`
    select coalesce(company_name, full_name) as name from customers where id = ${room.customer_id}
  `.execute(tx);
  return { ...room, customer_name: rows[0]?.name ?? '' };
}

/**
 * A token of the role for each entry: a new one for null, else the named one.
 * @throws 403 `privilege-escalation` for moderator tokens that the actor cannot grant or take away
 */
export async function createInvitedTokens(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  change: Change,
  room: RoomRow,
  { role, existing }: { readonly role: RoomRole; readonly existing: readonly (Uuid | null)[] },
): Promise<PrintedTokenRow[]> {
  const { tx, now, actor, emitAll } = change;
  const kept = new Map<Uuid, PrintedTokenRow>();
  for (const id of existing.filter((each) => each !== null).toSorted())
    kept.set(id, { ...(await lockRoomToken(tx, room.id, id)), slug: room.slug });
  await refuseModeratorRole(tx, actor, room.id, [role, ...[...kept.values()].map((token) => token.role)]);
  const changed = [...kept.values()].filter((token) => token.role !== role);
  for (const before of changed) {
    const after = await storeRoomToken(tx, before.id, { role, updated_at: now });
    kept.set(before.id, { ...after, slug: room.slug });
    await change.emit(rowEvent('room_token.updated', { customerId: room.customer_id, before, after }));
  }
  const fresh = await Promise.all(
    existing
      .filter((id) => id === null)
      .map(async () => {
        const [id, token] = [newUuid(), createOpaqueToken('frm')];
        return { id, token, sealed: await secretBox.seal(token, tokenAssociatedData(id)) };
      }),
  );
  const created = await insertRoomTokens(
    tx,
    fresh.map(({ id, token, sealed }) => ({
      id,
      room_id: room.id,
      token_hash: hashToken(token),
      token_sealed: sealed,
      role,
      created_at: now,
      updated_at: now,
    })),
  );
  await emitAll(created.map((row) => rowEvent('room_token.created', { customerId: room.customer_id, after: row })));
  const added = fresh.map(({ id, token }) => ({ ...created.find((row) => row.id === id), slug: room.slug, token }));
  return existing.map((id) => (id === null ? (added.shift() as PrintedTokenRow) : (kept.get(id) as PrintedTokenRow)));
}
