import { newRow } from '../../database/row-store.ts';
import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { type FieldFaults, invalidInput, conflict } from '../../platform/failures.ts';
import type { Call, InputOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import {
  addUser,
  emailTaken,
  findUserByEmail,
  type NewUser,
  lockUserForKeyShare,
  type UserRow,
} from '../users/index.ts';
import { endOwnership, refuseReducedOwner } from './ownership.ts';
import { registrationFaults } from './registration-domains.ts';
import { type Grantor, sortRights, requireGrantable } from './grant-rules.ts';
import { emitMembershipCreated } from './add-owner.ts';
import {
  belongsToCustomer,
  insertMembership,
  lockMembershipScope,
  type MembershipRow,
  type MembershipResource,
  type MembershipScope,
  requireMembership,
  requireMembershipScope,
  type MembershipWithUser,
} from './store.ts';

export type MemberInput = InputOf<'createCustomerUser'>;

/**
 * Adds an existing or a new user to a customer, an account or a room.
 * The rights of the caller limit the grant.
 * @throws 404; 422 naming every invalid member; 403 `privilege-escalation`; 409 `already-exists`, `owner-has-all-rights`
 * or `customer-not-active`
 */
export async function createMember(
  dependencies: Dependencies,
  { level, resourceId }: MembershipResource,
  { actor, principal: grantor }: Pick<Call, 'actor' | 'principal'>,
  input: MemberInput,
): Promise<MembershipWithUser> {
  const person = await readPerson(dependencies, level, resourceId, input);
  const passwordHash = person.password === undefined ? null : await hashPassword(person.password);
  return await inTransaction(dependencies, actor, async (change) => {
    const scope = await lockMembershipScope(change.tx, level, resourceId);
    requireActiveCustomer(scope);
    const user =
      'userId' in person
        ? await findAddableUser(change, scope, grantor, person.userId)
        : await addUser(
            change,
            dependencies.settings(),
            { ...person.newUser, passwordHash },
            { customerId: scope.customerId, vouched: grantor?.kind !== 'user' },
          );
    if (!user) throw invalidInput('userId' in person ? unknownUser : emailTaken);
    const { owner = false, permissions } = input;
    if (owner) refuseReducedOwner(level, permissions);
    await requireGrantable(change.tx, grantor, scope, { userId: user.id, owner, permissions: permissions ?? [] });
    await addMember(change, scope, user, { owner, permissions: permissions ?? [] });
    return await requireMembership(change.tx, level, resourceId, user.id);
  });
}

type Person =
  | { readonly userId: Uuid; readonly password?: undefined }
  | { readonly newUser: NewUser; readonly password: string | undefined };

const unknownUser: FieldFaults = { user_id: ['The selected user id is invalid.'] };
const newUserMembers = ['email', 'first_name', 'last_name', 'password', 'locale', 'timezone'] as const;

/** @throws 422 */
async function readPerson(
  dependencies: Dependencies,
  level: MembershipLevel,
  resourceId: Uuid,
  input: MemberInput,
): Promise<Person> {
  const { db } = dependencies;
  const { user_id: userId, email, first_name, last_name, password, locale, timezone } = input;
  if (userId !== undefined) {
    const excess = newUserMembers.filter((name) => input[name] !== undefined);
    if (excess.length > 0)
      throw invalidInput(faultsOf(excess, 'describes a new user: leave it out if you send a user id.'));
    return { userId };
  }
  const missing = (['email', 'first_name', 'last_name'] as const).filter((name) => input[name] === undefined);
  const { registrationDomains } = await requireMembershipScope(db, level, resourceId);
  const faults: FieldFaults = {
    ...faultsOf(missing, 'is required for a new user. For an existing one, send the user id.'),
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
 * Users cannot add people of other customers. If members of another customer created the user and the email is not
 * verified, they may know the password, so the user must be invited instead. @throws 422
 */
async function findAddableUser(
  { tx }: Change,
  scope: MembershipScope,
  grantor: Grantor,
  id: Uuid,
): Promise<UserRow | undefined> {
  const user = await lockUserForKeyShare(tx, id);
  if (!user || (grantor?.kind !== 'user' && user.vouched)) return user;
  if (await belongsToCustomer(tx, user.id, scope.customerId)) return user;
  if (grantor?.kind === 'user') return undefined;
  throw invalidInput({
    user_id: ['Another customer created this user, and the email is not verified. Send an invitation instead.'],
  });
}

/** @throws 409 */
function requireActiveCustomer({ customerStatus }: Pick<MembershipScope, 'customerStatus'>): void {
  if (customerStatus !== 'active')
    throw conflict('customer-not-active', `The customer is ${customerStatus}, so you cannot add people to it.`);
}

/**
 * Adds a user to a locked scope. A new owner replaces the former one.
 * @throws 422 on `email` outside the customer's domains; 409 `already-exists`
 */
export async function addMember(
  change: Change,
  scope: MembershipScope,
  user: Pick<UserRow, 'id' | 'email'>,
  { owner, permissions }: { readonly owner: boolean; readonly permissions: readonly Right[] },
): Promise<void> {
  const faults = registrationFaults(user.email, scope.registrationDomains);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const row: MembershipRow = {
    ...newRow(change.now),
    resource_id: scope.id,
    user_id: user.id,
    owner: false,
    permissions: sortRights(scope.level, permissions),
  };
  if (owner) await endOwnership(change, scope, user.id);
  if (!(await insertMembership(change.tx, scope.level, { ...row, owner })))
    throw conflict('already-exists', `This person is already a member of the ${scope.level}.`);
  await emitMembershipCreated(change, scope, { ...row, owner });
}
