import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import type { Owner } from './store.ts';

export interface SigningInUser {
  readonly id: Uuid;
  readonly email: string;
  readonly status: string;
  readonly password_hash: string | null;
  /** False when every customer of the user is inactive or terminated; true for a user without any. */
  readonly has_access: boolean;
}

/** By email, whatever the case. */
export async function findSigningInUser(db: Database, email: string): Promise<SigningInUser | undefined> {
  const { rows } = await sql<SigningInUser>`
    select person.id, person.email, person.status, person.password_hash,
      coalesce(bool_or(customer.effective_status in ('active', 'suspended')), true) as has_access
    from users person
    left join lateral (
      select customer_id from customer_users where user_id = person.id
      union
      select account.subscriber_id from account_users held join accounts account on account.id = held.account_id
      where held.user_id = person.id
      union
      select room.customer_id from room_users held join rooms room on room.id = held.room_id
      where held.user_id = person.id
    ) place on true
    left join customers customer on customer.id = place.customer_id
    where lower(person.email) = ${email.toLowerCase()}
    group by person.id
  `.execute(db);
  return rows[0];
}

/** Ends what an administrator signed in with before, and every consent page's session. Personal tokens go on. */
export async function endSignIns(tx: Tx, adminId: Uuid, keptFamilyId: Uuid, now: string): Promise<void> {
  await tx
    .updateTable('token_families')
    .set({ revoked_at: now })
    .where('admin_id', '=', adminId)
    .where('kind', 'in', ['session', 'password', 'authorization'])
    .where('id', '!=', keptFamilyId)
    .where('revoked_at', 'is', null)
    .execute();
  await tx.deleteFrom('authorization_sessions').where('admin_id', '=', adminId).execute();
}

/** What the account asks for; nobody changes it until the transaction ends. */
export async function shareCredentials(
  tx: Tx,
  { population, id }: Owner,
): Promise<{ passwordHash: string | null; hasSecondFactor: boolean } | null> {
  const account = await tx
    .selectFrom(population)
    .select('password_hash')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  if (!account) return null;
  // In a statement of its own: it must see what the lock has waited for.
  const factor = await tx
    .selectFrom('admin_two_factor')
    .select('admin_id')
    .where('admin_id', '=', id)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return { passwordHash: account.password_hash, hasSecondFactor: factor !== undefined };
}
