import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { RoomInvitations } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { Settings } from '../../../platform/settings.ts';

export type RoomInvitationRow = Selectable<RoomInvitations>;

/** The invitations of these emails, keyed by the email in lower case. */
export async function lockInvitations(
  tx: Tx,
  roomId: Uuid,
  emails: readonly string[],
): Promise<Map<string, RoomInvitationRow>> {
  const { rows } = await sql<RoomInvitationRow>`
    select * from room_invitations
    where room_id = ${roomId} and lower(email) = any(${emails.map((email) => email.toLowerCase())}::text[])
    order by id for update
  `.execute(tx);
  return new Map(rows.map((row) => [row.email.toLowerCase(), row]));
}

export async function storeInvitations(
  tx: Tx,
  rows: readonly Insertable<RoomInvitations>[],
): Promise<RoomInvitationRow[]> {
  return await tx
    .insertInto('room_invitations')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        room_token_id: row.ref('excluded.room_token_id'),
        room_name: row.ref('excluded.room_name'),
        invited_by: row.ref('excluded.invited_by'),
        message: row.ref('excluded.message'),
        starts_at: row.ref('excluded.starts_at'),
        duration_minutes: row.ref('excluded.duration_minutes'),
        sequence: row.ref('excluded.sequence'),
        in_calendar: row.ref('excluded.in_calendar'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .returningAll()
    .execute();
}

/** Removes the invitations of deleted tokens and deleted rooms. */
export async function removeInvitations(
  tx: Tx,
  { tokenIds, roomIds }: { readonly tokenIds: readonly Uuid[]; readonly roomIds: readonly Uuid[] },
): Promise<RoomInvitationRow[]> {
  const { rows } = await sql<RoomInvitationRow>`
    delete from room_invitations where id in (
      select id from room_invitations 
      where room_token_id = any(${[...tokenIds]}::uuid[]) or room_id = any(${[...roomIds]}::uuid[])
      order by id for update
    ) returning *
  `.execute(tx);
  return rows;
}

/** The token in the link of an invitation, and its room. */
export interface LinkToken {
  readonly token_id: Uuid;
  readonly token_sealed: string;
  readonly room_id: Uuid;
  readonly slug: string;
  readonly room_type: ServiceType;
}

export async function findLinkToken(tx: Tx, tokenId: Uuid): Promise<LinkToken | undefined> {
  const { rows } = await sql<LinkToken>`
    select token.id as token_id, token.token_sealed, room.id as room_id, room.slug, room.room_type
    from room_tokens token join rooms room on room.id = token.room_id where token.id = ${tokenId}
  `.execute(tx);
  return rows[0];
}

export interface Invitee {
  readonly user_id: Uuid | null;
  readonly locale: string;
  readonly timezone: string;
  readonly has_opted_out: boolean;
}

/**
 * The user with the email. The language and time zone fall back to those of the customer, and to the defaults if the
 * customer was deleted.
 */
export async function findInvitee(
  tx: Tx,
  { customer_id: customerId, email }: Pick<RoomInvitationRow, 'customer_id' | 'email'>,
  addressHash: Buffer,
  defaults: Pick<Settings, 'system_locale' | 'system_timezone'>,
): Promise<Invitee> {
  const { rows } = await sql<Invitee>`
    select users.id as user_id, coalesce(users.locale, customer.locale, ${defaults.system_locale}) as locale,
      coalesce(users.timezone, customer.timezone, ${defaults.system_timezone}) as timezone,
      coalesce(users.user_settings -> 'notifications' -> 'room_invitation' = 'false', false)
        or exists (select from unsubscribed_addresses where address_hash = ${addressHash} and kind = 'room_invitation')
        as has_opted_out
    from (select ${customerId}::uuid as id) invited left join customers customer using (id)
    left join users on lower(users.email) = lower(${email}::text)
  `.execute(tx);
  const [invitee] = rows;
  if (!invitee) throw new Error('A select without conditions returned no row.');
  return invitee;
}
