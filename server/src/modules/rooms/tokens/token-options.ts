import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { FieldFaults } from '../../../platform/failures.ts';
import type { Actor, InputOf } from '../../../platform/http/input/call.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { usersByEmail, usersOfCustomer } from './token-store.ts';

export type TokenInput = InputOf<'createRoomToken'>;

/** The columns that a request can set. */
export function requestedColumns({ role, name, not_before, expires_at, max_uses, user_id }: TokenInput) {
  return {
    role,
    name: name ?? null,
    not_before: not_before ?? null,
    expires_at: expires_at ?? null,
    max_uses: max_uses ?? null,
    user_id: user_id ?? null,
  };
}

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
 * The users to whom a token of the customer's room can be bound. An actor who is a user can bind only users of that
 * customer, and does not learn whether other users exist.
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
  return new Set(idsOf(rows));
}

/**
 * Like `findBindableUsers`, by email as spelled in the request. Leaves out users that the actor cannot see.
 * @param mayReadUsers whether an actor that is not a user can see users
 */
export async function findBindableUsersByEmail(
  tx: Tx,
  actor: Pick<Actor, 'type'>,
  customerId: Uuid,
  { emails, mayReadUsers }: { readonly emails: readonly string[]; readonly mayReadUsers: boolean },
): Promise<ReadonlyMap<string, Uuid>> {
  if (emails.length === 0 || (actor.type !== 'user' && !mayReadUsers)) return new Map();
  const users = await usersByEmail(tx, emails);
  const bindableUsers = await findBindableUsers(tx, actor, customerId, idsOf(users));
  return new Map(users.filter(({ id }) => bindableUsers.has(id)).map(({ id, email }) => [email, id]));
}
