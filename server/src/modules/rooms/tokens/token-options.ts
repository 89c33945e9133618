import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { roomTokenEndpoints } from '@foyer/contract/resources/room-token.ts';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { FieldFaults } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { usersByEmail, usersOfCustomer } from './token-store.ts';

/** What a token is made of. */
export type TokenInput = BodyOf<(typeof roomTokenEndpoints)['createRoomToken']>;

/** A token that ends before it begins never opens anything. */
export function faultsOfTimes({
  not_before: from,
  expires_at: until,
}: Pick<TokenInput, 'not_before' | 'expires_at'>): FieldFaults {
  if (!from || !until || Date.parse(from) < Date.parse(until)) return {};
  return { not_before: ['The not before field must be earlier than the expires at field.'] };
}

export const unknownEmail = 'The selected email is invalid.';
export const unknownUser = 'The selected user id is invalid.';

/**
 * Whom of the users a token of the customer's room may be bound to. For a user who asks, people of other customers do
 * not exist.
 */
export async function findBindableUsers(
  db: Database | Tx,
  actor: Pick<Actor, 'type'>,
  customerId: Uuid,
  ids: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  if (ids.length === 0) return new Set();
  if (actor.type === 'user') return new Set(await usersOfCustomer(db, customerId, ids));
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * The same by email, each as it was given: whom somebody who asks may not see has none.
 * @param mayReadUsers whether somebody who is no user may see users
 */
export async function findBindableUsersByEmail(
  tx: Tx,
  actor: Pick<Actor, 'type'>,
  customerId: Uuid,
  { emails, mayReadUsers }: { readonly emails: readonly string[]; readonly mayReadUsers: boolean },
): Promise<ReadonlyMap<string, Uuid>> {
  if (emails.length === 0 || (actor.type !== 'user' && !mayReadUsers)) return new Map();
  const found = await usersByEmail(tx, emails);
  const known = await findBindableUsers(
    tx,
    actor,
    customerId,
    found.map(({ id }) => id),
  );
  return new Map(found.filter(({ id }) => known.has(id)).map(({ id, email }) => [email, id]));
}
