import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { customerUserEndpoints, MembershipLevel, Right } from '@foyer/contract/resources/membership.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { type FieldFaults, invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { addUser, emailTaken, findUserByEmail, type NewUser, shareUser, type UserRow } from '../users/index.ts';
import { endOwnership, refuseFewer } from './ownership.ts';
import { registrationFaults } from './registration-domains.ts';
import { type Giver, inOrder, refuseHandingOut } from './rights-handed-out.ts';
import {
  belongsToCustomer,
  insertMembership,
  lockPlace,
  type MembershipRow,
  type Place,
  places,
  requireMembership,
  requirePlace,
  type ShownMembershipRow,
} from './store.ts';

export type MemberInput = BodyOf<(typeof customerUserEndpoints)['createCustomerUser']>;

/**
 * Adds an existing user, or makes a new one, to a customer, an account or a room.
 * @param giver whose own rights bound what is given.
 * @throws 404 without such a thing; 422 naming every member at fault; 403 `privilege-escalation`; 409 `already-exists`,
 * `owner-has-all-rights` or `customer-not-active`.
 */
export async function createMember(
  dependencies: Dependencies,
  actor: Actor,
  giver: Giver,
  level: MembershipLevel,
  thingId: Uuid,
  input: MemberInput,
): Promise<ShownMembershipRow> {
  const person = await readPerson(dependencies, level, thingId, input);
  const passwordHash = person.password === undefined ? null : await hashPassword(person.password);
  return await inTransaction(dependencies, actor, async (change) => {
    const place = await lockPlace(change.tx, level, thingId);
    refuseClosed(place);
    const user =
      'userId' in person
        ? await existingUser(change, place, giver, person.userId)
        : await addUser(
            change,
            dependencies.settings(),
            person.newUser,
            passwordHash,
            place.customerId,
            giver?.kind !== 'user',
          );
    if (!user) throw invalidInput('userId' in person ? unknownUser : emailTaken);
    const { owner = false, permissions } = input;
    if (owner) refuseFewer(level, permissions);
    await refuseHandingOut(change.tx, giver, place, { userId: user.id, owner, permissions: permissions ?? [] });
    await addMember(change, place, user, { owner, permissions: permissions ?? [] });
    return await requireMembership(change.tx, level, thingId, user.id);
  });
}

type Person =
  | { readonly userId: Uuid; readonly password?: undefined }
  | { readonly newUser: NewUser; readonly password: string | undefined };

const unknownUser: FieldFaults = { user_id: ['The selected user id is invalid.'] };
const describing = ['email', 'first_name', 'last_name', 'password', 'locale', 'timezone'] as const;

/** Either an existing user or what a new one needs. @throws 422 */
async function readPerson(
  dependencies: Dependencies,
  level: MembershipLevel,
  thingId: Uuid,
  input: MemberInput,
): Promise<Person> {
  const { db } = dependencies;
  const { user_id: userId, email, first_name, last_name, password, locale, timezone } = input;
  if (userId !== undefined) {
    const excess = describing.filter((name) => input[name] !== undefined);
    if (excess.length > 0) throw invalidInput(faultsOf(excess, 'describes a new user: it goes without a user id.'));
    return { userId };
  }
  const missing = (['email', 'first_name', 'last_name'] as const).filter((name) => input[name] === undefined);
  const { registrationDomains } = await requirePlace(db, level, thingId);
  const faults: FieldFaults = {
    ...faultsOf(missing, 'is required for a new user; or give the user id of an existing one.'),
    ...(await newPasswordFaults(password)),
    ...(email === undefined ? {} : registrationFaults(email, registrationDomains)),
    ...(email !== undefined && (await findUserByEmail(db, email)) ? emailTaken : {}),
  };
  if (Object.keys(faults).length > 0 || email === undefined || first_name === undefined || last_name === undefined) {
    throw invalidInput(faults);
  }
  return { newUser: { email, first_name, last_name, locale, timezone }, password };
}

function faultsOf(names: readonly string[], predicate: string): FieldFaults {
  return Object.fromEntries(names.map((name) => [name, [`The ${name.replaceAll('_', ' ')} field ${predicate}`]]));
}

/**
 * For a user who asks, people of other customers do not exist. Whom only another customer's people know is invited:
 * they might have chosen the password. @throws 422
 */
async function existingUser({ tx }: Change, place: Place, giver: Giver, id: Uuid): Promise<UserRow | undefined> {
  const user = await shareUser(tx, id);
  if (!user || (giver?.kind !== 'user' && user.vouched)) return user;
  if (await belongsToCustomer(tx, user.id, place.customerId)) return user;
  if (giver?.kind === 'user') return undefined;
  throw invalidInput({
    user_id: ['The people of another customer made this user, and nothing proves the email. Invite it instead.'],
  });
}

/** Nobody new comes to a customer for which nothing new is opened. @throws 409 */
function refuseClosed({ customerStatus }: Pick<Place, 'customerStatus'>): void {
  if (customerStatus !== 'active')
    throw conflict('customer-not-active', `The customer is ${customerStatus}, so you cannot add people to it.`);
}

/**
 * Adds a user to a locked place, as part of a change. As the owner it takes the place of the former one.
 * @throws 422 on `email` outside the customer's domains; 409 `already-exists`
 */
export async function addMember(
  change: Change,
  place: Place,
  user: Pick<UserRow, 'id' | 'email'>,
  { owner, permissions }: { readonly owner: boolean; readonly permissions: readonly Right[] },
): Promise<void> {
  const faults = registrationFaults(user.email, place.registrationDomains);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const row: MembershipRow = {
    id: newUuid(),
    thing_id: place.id,
    user_id: user.id,
    owner: false,
    permissions: inOrder(place.level, permissions),
    created_at: change.now,
    updated_at: change.now,
  };
  if (owner) await endOwnership(change, place, user.id);
  if (!(await insertMembership(change.tx, place.level, { ...row, owner })))
    throw conflict('already-exists', `The user is one of the ${place.level}'s users already.`);
  await change.emit({
    name: `${place.level}.user_added`,
    resource: { type: places[place.level].object, id: row.id },
    customerId: place.customerId,
    after: { id: row.id, [places[place.level].key]: place.id, user_id: user.id, owner, permissions: row.permissions },
  });
}
