import type { Database } from '../../database/connect.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { confirmPassword } from '../../platform/crypto/confirm-password.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { hashToken, isOpaqueToken } from '../../platform/crypto/opaque-token.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { addMember, belongsToCustomer, lockPlace, rightsOf } from '../memberships/index.ts';
import { addUser, findUserByEmail, requireUser, storePassword, type UserRow, verifyEmail } from '../users/index.ts';
import { refuseUnusable, tokenPrefix } from './invite.ts';
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
  /** What whoever accepts has to do: come new, sign in, or choose the first password of the user that exists. */
  readonly way: 'new' | 'sign-in' | 'first-password';
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
  return { invitation, target, way: await wayOf(db, invitation, user), user };
}

/**
 * Whoever holds a link that was mailed is the user; of another link, whoever the inviter says. The people of a customer
 * say so of those alone whom they made themselves and nobody else knows.
 */
async function wayOf(db: Database, invitation: InvitationRow, user: UserRow | null): Promise<OpenInvitation['way']> {
  if (!user) return 'new';
  if (user.password_hash !== null) return 'sign-in';
  const isKnown =
    isVouched(invitation) || (!user.vouched && (await belongsToCustomer(db, user.id, invitation.customer_id)));
  return isKnown ? 'first-password' : 'sign-in';
}

/**
 * Makes or adopts the user, gives the membership and marks the invitation as accepted: together, and once, however
 * many accept at the same time.
 * @throws 422 naming every fault, `link-not-valid` or `wrong-credentials`; 409 `customer-not-active` or
 * `already-exists`; 429
 */
export async function acceptInvitation(dependencies: Dependencies, actor: Actor, given: Acceptance): Promise<UserRow> {
  const open = await findOpenInvitation(dependencies, given.token);
  if (!open) throw linkNotValid();
  const { invitation, target, way, user } = open;
  refuseUnusable(target.customerStatus);
  const names = {
    first_name: given.first_name ?? invitation.first_name,
    last_name: given.last_name ?? invitation.last_name,
  };
  const faults: FieldFaults = {
    ...(way === 'new' ? missingNames(names) : {}),
    ...(way === 'sign-in' ? {} : await newPasswordFaults(given.password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  if (way === 'sign-in' && user) await signIn(dependencies, user, given.password, actor.address);
  const passwordHash = way === 'sign-in' ? null : await hashPassword(given.password);
  return await inTransaction(dependencies, actorFor(actor, invitation, user), async (change) => {
    const { tx, now, emit } = change;
    const place = await lockPlace(tx, target.level, target.id);
    const before = await lockInvitation(tx, invitation.customer_id, invitation.id);
    const isSame = before.status === 'pending' && before.token_hash?.equals(hashToken(given.token)) === true;
    if (!isSame || !(await inviterStillMay(change, before, target))) throw linkNotValid();
    refuseUnusable((await findTarget(tx, place.customerId, null, null))?.customerStatus ?? 'terminated');
    const accepting =
      user ??
      (await addUser(
        change,
        dependencies.settings(),
        newUserOf(open, names),
        passwordHash,
        place.customerId,
        isVouched(before),
      ));
    // Somebody of that email came to be at the same time: whoever accepts has to sign in.
    if (!accepting) throw linkNotValid();
    if (way === 'first-password' && passwordHash !== null) await storePassword(change, accepting.id, passwordHash);
    if (invitation.mailed) await verifyEmail(change, accepting.id);
    await addMember(change, place, accepting, before);
    const after = await storeInvitation(tx, before.id, {
      status: 'accepted',
      token_hash: null,
      accepted_at: now,
      user_id: accepting.id,
      updated_at: now,
    });
    await emit({
      name: 'invitation.accepted',
      resource: { type: 'Invitation', id: before.id },
      customerId: place.customerId,
      before,
      after,
    });
    return await requireUser(tx, accepting.id);
  });
}

async function signIn(
  { failedAttempts }: Dependencies,
  user: UserRow,
  password: string,
  address: string | null,
): Promise<void> {
  await confirmPassword(failedAttempts, 'users', user, password, address);
  if (user.status !== 'active') throw invalidInput({ password: ['The password is wrong.'] }, 'wrong-credentials');
}

/** Who follows a link that was not mailed is whoever the inviter says. */
function isVouched({ mailed, inviter_type: inviter }: InvitationRow): boolean {
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

/** What a user has lost since it invited, it gives to nobody any more. */
async function inviterStillMay({ tx }: Change, invitation: InvitationRow, target: Target): Promise<boolean> {
  if (invitation.inviter_type !== 'user' || invitation.inviter_id === null) return true;
  const onCustomer = await rightsOf(tx, invitation.inviter_id, 'customer', invitation.customer_id);
  if (!onCustomer?.rights.has('manage-customer-users')) return false;
  const held = await rightsOf(tx, invitation.inviter_id, target.level, target.id);
  if (invitation.owner) return held?.owner === true;
  return invitation.permissions.every((right) => held?.rights.has(right));
}

/** Whoever holds the link acts as the invited. */
function actorFor(actor: Actor, { email }: InvitationRow, user: UserRow | null): Actor {
  return user ? { ...actor, type: 'user', id: user.id, name: email } : { ...actor, name: email };
}

function linkNotValid() {
  return invalidInput({ token: ['The link is not valid any more. Please ask for a new one.'] }, 'link-not-valid');
}
