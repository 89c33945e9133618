import type { Database } from '../../database/connect.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/crypto/opaque-token.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { findAdmin } from '../admins/index.ts';
import { addMember, belongsToCustomer, lockMembershipScope, rightsOf } from '../memberships/index.ts';
import {
  addUser,
  findUser,
  findUserByEmail,
  requireUser,
  storePassword,
  type UserRow,
  verifyEmail,
} from '../users/index.ts';
import { requireActiveCustomer, tokenPrefix } from './invite.ts';
import {
  findPendingInvitation,
  findTarget,
  type InvitationRow,
  lockInvitation,
  storeInvitation,
  type Target,
} from './store.ts';

/** An invitation that can be accepted. */
export interface OpenInvitation {
  readonly invitation: InvitationRow;
  readonly target: Target;
  /** Whether accepting creates a user, needs the user's password, or sets a first password. */
  readonly kind: 'new' | 'sign-in' | 'first-password';
  readonly user: UserRow | null;
}

export interface Acceptance {
  readonly token: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly password: string;
}

export async function findOpenInvitation(dependencies: Dependencies, token: string): Promise<OpenInvitation | null> {
  if (!isOpaqueToken(token, tokenPrefix)) return null;
  const { db, clock } = dependencies;
  const invitation = await findPendingInvitation(db, hashToken(token), clock.now());
  if (!invitation) return null;
  const { customer_id: customerId, account_id: accountId, room_id: roomId, email } = invitation;
  const target = await findTarget(db, customerId, accountId, roomId);
  if (!target) return null;
  const user = (await findUserByEmail(db, email)) ?? null;
  return { invitation, target, kind: await acceptanceKind(db, invitation, user), user };
}

/**
 * A link that proves the identity can set a first password. Any other link can do so only for a user of this customer
 * whose identity neither an administrator nor a mail has confirmed.
 */
async function acceptanceKind(
  db: Database,
  invitation: InvitationRow,
  user: UserRow | null,
): Promise<OpenInvitation['kind']> {
  if (!user) return 'new';
  if (user.password_hash !== null) return 'sign-in';
  const canSetPassword =
    confirmsIdentity(invitation) || (!user.vouched && (await belongsToCustomer(db, user.id, invitation.customer_id)));
  return canSetPassword ? 'first-password' : 'sign-in';
}

/**
 * Creates the user if needed, adds the membership and marks the invitation as accepted, in one transaction.
 * @throws 422 naming every fault, `link-not-valid` or `wrong-credentials`; 409 `customer-not-active` or
 * `already-exists`; 429
 */
export async function acceptInvitation(dependencies: Dependencies, actor: Actor, input: Acceptance): Promise<UserRow> {
  const openInvitation = await findOpenInvitation(dependencies, input.token);
  if (!openInvitation) throw linkNotValid();
  const { invitation, target, kind, user } = openInvitation;
  requireActiveCustomer(target.customerStatus);
  const names = {
    first_name: input.first_name ?? invitation.first_name,
    last_name: input.last_name ?? invitation.last_name,
  };
  const faults: FieldFaults = {
    ...(kind === 'new' ? missingNames(names) : {}),
    ...(kind === 'sign-in' ? {} : await newPasswordFaults(input.password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  if (kind === 'sign-in' && user) await signIn(dependencies, user, input.password, actor.address);
  const passwordHash = kind === 'sign-in' ? null : await hashPassword(input.password);
  return await inTransaction(dependencies, actorFor(actor, invitation, user), async (change) => {
    const { tx, now, emit } = change;
    const scope = await lockMembershipScope(tx, target.level, target.id);
    const before = await lockInvitation(tx, invitation.customer_id, invitation.id);
    const isStillOpen = before.status === 'pending' && before.token_hash?.equals(hashToken(input.token)) === true;
    if (!isStillOpen || !(await isInviterStillAllowed(change, before, target))) throw linkNotValid();
    requireActiveCustomer((await findTarget(tx, scope.customerId, null, null))?.customerStatus ?? 'terminated');
    const acceptingUser =
      user ??
      (await addUser(
        change,
        dependencies.settings(),
        { ...newUserOf(openInvitation, names), passwordHash },
        { customerId: scope.customerId, vouched: confirmsIdentity(before) },
      ));
    // Another request created a user with this email, who now has to sign in.
    if (!acceptingUser) throw linkNotValid();
    if (kind === 'first-password' && passwordHash !== null) await storePassword(change, acceptingUser.id, passwordHash);
    if (invitation.mailed) await verifyEmail(change, acceptingUser.id);
    await addMember(change, scope, acceptingUser, before);
    const after = await storeInvitation(tx, before.id, {
      status: 'accepted',
      token_hash: null,
      accepted_at: now,
      user_id: acceptingUser.id,
      updated_at: now,
    });
    await emit(rowEvent('invitation.accepted', { before, after }));
    return await requireUser(tx, acceptingUser.id);
  });
}

async function signIn(
  { failedAttempts }: Dependencies,
  user: UserRow,
  password: string,
  address: string | null,
): Promise<void> {
  await confirmPassword(failedAttempts, user, { population: 'users', password, address });
  if (user.status !== 'active') throw invalidInput({ password: ['The password is wrong.'] }, 'wrong-credentials');
}

/** A link proves the identity if it was mailed or if an administrator created it. */
function confirmsIdentity({ mailed, inviter_type: inviter }: InvitationRow): boolean {
  return mailed || inviter !== 'user';
}

function newUserOf(
  { invitation, target }: OpenInvitation,
  names: { readonly first_name: string | null; readonly last_name: string | null },
) {
  return {
    email: invitation.email,
    first_name: names.first_name ?? '',
    last_name: names.last_name ?? '',
    locale: target.locale,
    timezone: target.timezone,
  };
}

function missingNames(names: Readonly<Record<'first_name' | 'last_name', string | null>>): FieldFaults {
  const missing = (['first_name', 'last_name'] as const).filter((name) => names[name] === null);
  return Object.fromEntries(missing.map((name) => [name, [`The ${name.replace('_', ' ')} field is required.`]]));
}

/**
 * Whether the inviter is still active. A user must also still hold the rights that the invitation grants and the right
 * to invite.
 */
async function isInviterStillAllowed({ tx }: Change, invitation: InvitationRow, target: Target): Promise<boolean> {
  const { inviter_type: type, inviter_id: id } = invitation;
  if (id === null) return true;
  if (type === 'admin') return (await findAdmin(tx, id))?.status === 'active';
  if (type !== 'user') return true;
  if ((await findUser(tx, id))?.status !== 'active') return false;
  const customerRights = await rightsOf(tx, id, 'customer', invitation.customer_id);
  if (!customerRights?.rights.has('manage-customer-users')) return false;
  const inviterRights = await rightsOf(tx, id, target.level, target.id);
  if (invitation.owner) return inviterRights?.owner === true;
  return invitation.permissions.every((right) => inviterRights?.rights.has(right));
}

/** The audit log names the invited person as the actor. */
function actorFor(actor: Actor, { email }: InvitationRow, user: UserRow | null): Actor {
  return user ? { ...actor, type: 'user', id: user.id, name: email } : { ...actor, name: email };
}

function linkNotValid() {
  return invalidInput({ token: ['The link is no longer valid. Ask for a new one.'] }, 'link-not-valid');
}
