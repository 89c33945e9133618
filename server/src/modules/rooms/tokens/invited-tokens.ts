import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import type { Change, Tx } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { lockRoom, type RoomRow } from '../store.ts';
import { refuseModeratorRole } from './moderator-tokens.ts';
import { insertRoomTokens } from './token-batch-store.ts';
import { draftToken } from './token-encryption.ts';
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

export interface Invitee {
  readonly email: string;
  /** The token of an earlier invitation; null for a new token. */
  readonly tokenId: Uuid | null;
}

/**
 * Returns a token with the role for each invitee: a new one, or the token of an earlier invitation.
 * @throws 403 `privilege-escalation` for moderator tokens that the actor cannot grant or take away
 */
export async function createInvitedTokens(
  services: Pick<Dependencies, 'secretBox'>,
  change: Change,
  room: RoomRow,
  { role, invitees }: { readonly role: RoomRole; readonly invitees: readonly Invitee[] },
): Promise<PrintedTokenRow[]> {
  const { tx, now, actor, emitAll } = change;
  const earlierTokens = new Map<Uuid, PrintedTokenRow>();
  for (const id of invitees.flatMap(({ tokenId }) => tokenId ?? []).toSorted())
    earlierTokens.set(id, { ...(await lockRoomToken(tx, room.id, id)), slug: room.slug });
  await refuseModeratorRole(tx, actor, room.id, [role, ...[...earlierTokens.values()].map((token) => token.role)]);
  const otherRoleTokens = [...earlierTokens.values()].filter((token) => token.role !== role);
  for (const before of otherRoleTokens) {
    const after = await storeRoomToken(tx, before.id, { role, updated_at: now });
    earlierTokens.set(before.id, { ...after, slug: room.slug });
    await change.emit(rowEvent('room_token.updated', { customerId: room.customer_id, before, after }));
  }
  const emails = invitees.filter(({ tokenId }) => tokenId === null).map(({ email }) => email);
  const drafts = await Promise.all(emails.map(() => draftToken(services)));
  const created = await insertRoomTokens(
    tx,
    drafts.map(({ columns }, index) => ({
      ...columns,
      room_id: room.id,
      role,
      email: emails[index] ?? null,
      created_at: now,
      updated_at: now,
    })),
  );
  await emitAll(created.map((row) => rowEvent('room_token.created', { customerId: room.customer_id, after: row })));
  const newTokens = drafts.map(({ token, columns: { id } }) => ({
    ...created.find((row) => row.id === id),
    slug: room.slug,
    token,
  }));
  return invitees.map(
    ({ tokenId }) => (tokenId === null ? newTokens.shift() : earlierTokens.get(tokenId)) as PrintedTokenRow,
  );
}
