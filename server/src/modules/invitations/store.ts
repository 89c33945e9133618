import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, isTrue, rowStore } from '../../database/row-store.ts';
import type { Invitations } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export interface InvitationRow extends Omit<Selectable<Invitations>, 'permissions'> {
  readonly permissions: Right[];
  /** Only set in responses to the inviter, if the link is not mailed. */
  readonly url?: string | null;
}

const invitations = rowStore<'invitations', InvitationRow>('invitations', 'invitation');

/** @throws 404 */
export async function requireInvitation(db: Database | Tx, customerId: Uuid, id: Uuid): Promise<InvitationRow> {
  const row = await invitations.selectFirst(db, sql`id = ${id} and customer_id = ${customerId}`);
  return rowOrNotFound(row, 'invitation');
}

/** @throws 404 */
export async function lockInvitation(tx: Tx, customerId: Uuid, id: Uuid): Promise<InvitationRow> {
  await invitations.findAndLock(tx, id);
  return await requireInvitation(tx, customerId, id);
}

export async function findPendingInvitation(
  db: Database | Tx,
  tokenHash: Buffer,
  now: string,
): Promise<InvitationRow | undefined> {
  const isPending = sql`status = 'pending' and expires_at > ${now}`;
  return await invitations.selectFirst(db, sql`token_hash = ${tokenHash} and ${isPending}`);
}

/** @throws 409 if there is a pending invitation for the email and resource */
export async function insertInvitation(tx: Tx, row: Insertable<Invitations>): Promise<InvitationRow> {
  const inserted = await invitations.insertUnlessTaken(tx, row);
  if (!inserted) throw alreadyInvited();
  return inserted;
}

export async function storeInvitation(tx: Tx, id: Uuid, changes: Updateable<Invitations>): Promise<InvitationRow> {
  try {
    return await invitations.store(tx, id, changes);
  } catch (error) {
    const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
    if (code === '23505' && constraint === 'invitations_pending') throw alreadyInvited();
    throw error;
  }
}

export async function removeInvitationsOf(
  tx: Tx,
  column: 'customer_id' | 'account_id' | 'room_id',
  id: Uuid,
): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    with locked as materialized (
      select id from invitations where ${sql.ref(column)} = ${id} order by id for update
    )
    delete from invitations using locked where invitations.id = locked.id returning invitations.*
  `.execute(tx);
  return rows;
}

/** Marks expired invitations of the email as expired, so that a new one can be stored. */
export async function markExpired(tx: Tx, email: string, resourceId: Uuid, now: string): Promise<void> {
  await sql`
    update invitations set status = 'expired', token_hash = null, updated_at = ${now}
    where status = 'pending' and expires_at <= ${now} and lower(email) = lower(${email}::text)
      and coalesce(room_id, account_id, customer_id) = ${resourceId}
  `.execute(tx);
}

/** The resource of an invitation. */
export interface Target {
  readonly level: MembershipLevel;
  readonly id: Uuid;
  readonly accountId: Uuid | null;
  readonly roomId: Uuid | null;
  readonly name: string;
  readonly customerName: string;
  readonly customerStatus: string;
  readonly locale: string;
  readonly timezone: string;
}

interface TargetRow {
  readonly customer_name: string;
  readonly status: string;
  readonly locale: string;
  readonly timezone: string;
  readonly account_id: Uuid | null;
  readonly account_name: string | null;
  readonly room_id: Uuid | null;
  readonly room_account_id: Uuid | null;
  readonly room_name: string | null;
}

/** Ignores an account or a room of another customer. @returns undefined for an unknown customer */
export async function findTarget(
  db: Database | Tx,
  customerId: Uuid,
  accountId: Uuid | null,
  roomId: Uuid | null,
): Promise<Target | undefined> {
  const { rows } = await sql<TargetRow>`
    select coalesce(customer.company_name, customer.full_name) as customer_name, customer.effective_status as status, customer.locale,
      customer.timezone, account.id as account_id, account.account_name, room.id as room_id,
      room.account_id as room_account_id, room.room_name
    from customers customer
    left join accounts account on account.id = ${accountId}::uuid and account.subscriber_id = customer.id
    left join rooms room on room.id = ${roomId}::uuid and room.customer_id = customer.id
    where customer.id = ${customerId}
  `.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const level = row.room_id === null ? (row.account_id === null ? 'customer' : 'account') : 'room';
  return {
    level,
    id: row.room_id ?? row.account_id ?? customerId,
    accountId: row.room_account_id ?? row.account_id,
    roomId: row.room_id,
    name: row.room_name ?? row.account_name ?? row.customer_name,
    customerName: row.customer_name,
    customerStatus: row.status,
    locale: row.locale,
    timezone: row.timezone,
  };
}

function alreadyInvited() {
  return conflict('already-exists', 'This email already has a pending invitation. Send it again or withdraw it.');
}

export async function isMember(tx: Tx, { level, id }: Pick<Target, 'level' | 'id'>, userId: Uuid): Promise<boolean> {
  const [members, key] = [sql.table(`${level}_users`), sql.ref(`${level}_id`)];
  return await isTrue(tx, sql`exists(select from ${members} where ${key} = ${id} and user_id = ${userId})`);
}

const maxRooms = 6;

/** The rooms of a target, by name. */
export async function findActiveRooms(
  db: Database,
  { level, id }: Pick<Target, 'level' | 'id'>,
): Promise<readonly { readonly id: Uuid; readonly room_name: string }[]> {
  return await db
    .selectFrom('rooms')
    .select(['id', 'room_name'])
    .where(level === 'room' ? 'id' : level === 'account' ? 'account_id' : 'customer_id', '=', id)
    .where('status', '=', 'active')
    .orderBy('room_name')
    .orderBy('id')
    .limit(maxRooms)
    .execute();
}
