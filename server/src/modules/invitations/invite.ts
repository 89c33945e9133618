import { newRow } from '../../database/row-store.ts';
import { type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput, notFound, conflict } from '../../platform/failures.ts';
import type { Actor, CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { textsFor, fill, type Texts } from '../../platform/text/catalogues.ts';
import { createOpaqueToken, hashToken } from '../../platform/crypto/opaque-token.ts';
import { type CustomerStatus, customerUse } from '../customers/index.ts';
import { type MailDraft, prepareMail, queueMail, withdrawMail, type MailContents } from '../mail/index.ts';
import {
  type Grantor,
  lockMembershipScope,
  type MembershipScope,
  requireGrantable,
  registrationFaults,
} from '../memberships/index.ts';
import { findUserByEmail } from '../users/index.ts';
import {
  markExpired,
  findTarget,
  insertInvitation,
  type InvitationRow,
  isMember,
  lockInvitation,
  requireInvitation,
  storeInvitation,
  type Target,
} from './store.ts';

export const tokenPrefix = 'finv';
export const validDays = 7;
const mailHours = 24;

/**
 * Grants only rights that the principal can grant.
 * @throws 404; 422 naming every invalid member; 403 `privilege-escalation`;
 * 409 `already-exists` or `customer-not-active`
 */
export async function createInvitation(
  dependencies: Dependencies,
  { actor, principal: grantor, params: { customer_id: customerId }, body: input }: CallOf<'createInvitation'>,
): Promise<InvitationRow> {
  const { email, account_id: accountId = null, room_id: roomId = null, owner = false } = input;
  const target = await findTarget(dependencies.db, customerId, accountId, roomId);
  if (!target) throw notFound('The customer was not found.');
  const permissions = owner ? [] : (input.permissions ?? []);
  const faults: FieldFaults = { ...targetFaults(target, accountId, roomId), ...rightFaults(target, permissions) };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const link = await prepareLink(dependencies, email, target);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const scope = await lockForInvitation(change, grantor, target, { email, owner, permissions });
    await markExpired(tx, email, target.id, now);
    const row = await insertInvitation(tx, {
      ...newRow(now),
      customer_id: customerId,
      account_id: target.accountId,
      room_id: target.roomId,
      email,
      first_name: input.first_name ?? null,
      last_name: input.last_name ?? null,
      owner,
      permissions: rightsOfLevel[scope.level].filter((right) => permissions.includes(right)),
      status: 'pending',
      token_hash: link.tokenHash,
      mailed: link.mail !== null,
      mail_id: link.mail?.id ?? null,
      expires_at: link.expiresAt,
      ...inviterOf(actor),
    });
    if (link.mail) await queueMail(change, link.mail);
    await emit(rowEvent('invitation.created', { after: row }));
    return { ...row, url: link.mail ? null : link.url };
  });
}

/**
 * Sends a new link, also for an expired or withdrawn invitation; the old link becomes invalid.
 * @throws 404; 403 `privilege-escalation`; 409 `invitation-accepted`, `already-exists` or `customer-not-active`
 */
export async function resendInvitation(
  dependencies: Dependencies,
  { actor, principal: grantor, params: { customer_id: customerId, invitation_id: id } }: CallOf<'resendInvitation'>,
): Promise<InvitationRow> {
  const existing = await requireInvitation(dependencies.db, customerId, id);
  const target = await findTarget(dependencies.db, customerId, existing.account_id, existing.room_id);
  if (!target) throw notFound('The invitation was not found.');
  refuseAccepted(existing);
  const link = await prepareLink(dependencies, existing.email, target);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    await lockForInvitation(change, grantor, target, existing);
    const before = await lockInvitation(tx, customerId, id);
    refuseAccepted(before);
    if (before.mail_id !== null) await withdrawMail(change, before.mail_id);
    const after = await storeInvitation(tx, id, {
      status: 'pending',
      token_hash: link.tokenHash,
      mailed: link.mail !== null,
      mail_id: link.mail?.id ?? null,
      expires_at: link.expiresAt,
      ...inviterOf(actor),
      updated_at: now,
    });
    if (link.mail) await queueMail(change, link.mail);
    await emit(rowEvent('invitation.sent_again', { before, after }));
    return { ...after, url: link.mail ? null : link.url };
  });
}

/** @throws 409 */
export function refuseAccepted({ status }: Pick<InvitationRow, 'status'>): void {
  if (status === 'accepted') throw conflict('invitation-accepted', 'The invitation has already been accepted.');
}

interface Link {
  readonly tokenHash: Buffer;
  readonly url: string;
  readonly expiresAt: string;
  readonly mail: MailDraft | null;
}

async function prepareLink(dependencies: Dependencies, email: string, target: Target): Promise<Link> {
  const { catalogues, clock, db, mailer, publicUrl, settings } = dependencies;
  const token = createOpaqueToken(tokenPrefix);
  const url = `${publicUrl()}/invitations/${token}`;
  const locale = (await findUserByEmail(db, email))?.locale ?? target.locale;
  const texts = textsFor(catalogues, locale, settings().system_locale);
  const contents = invitationMail(texts, target, { platform: settings().platform_name, url });
  const mail = mailer
    ? await prepareMail(dependencies, {
        kind: 'invitation',
        recipient: email,
        locale,
        contents,
        expiresAt: new Date(clock.nowMs() + mailHours * 3_600_000).toISOString(),
      })
    : null;
  const expiresAt = new Date(clock.nowMs() + validDays * 86_400_000).toISOString();
  return { tokenHash: hashToken(token), url, expiresAt, mail };
}

/** Locks the target and checks that the person can be invited to it. */
async function lockForInvitation(
  { tx }: Change,
  grantor: Grantor,
  { level, id }: Target,
  membership: { readonly email: string; readonly owner: boolean; readonly permissions: readonly Right[] },
): Promise<MembershipScope> {
  const scope = await lockMembershipScope(tx, level, id);
  const customer = await findTarget(tx, scope.customerId, null, null);
  requireActiveCustomer(customer?.customerStatus ?? 'terminated');
  const faults = registrationFaults(membership.email, scope.registrationDomains);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const user = await findUserByEmail(tx, membership.email);
  await requireGrantable(tx, grantor, scope, { userId: user?.id ?? '', ...membership });
  if (user && (await isMember(tx, scope, user.id)))
    throw conflict('already-exists', `This person is already a member of the ${level}.`);
  return scope;
}

/** @throws 409 */
export function requireActiveCustomer(status: string): void {
  if (!customerUse(status as CustomerStatus).canCreate)
    throw conflict('customer-not-active', `The customer is ${status}, so you cannot add people to it.`);
}

function targetFaults(target: Target, accountId: Uuid | null, roomId: Uuid | null): FieldFaults {
  const faults: FieldFaults = {};
  if (roomId !== null && target.roomId === null) faults['room_id'] = ['The selected room id is invalid.'];
  if (accountId !== null && target.accountId !== accountId)
    faults['account_id'] = ['The selected account id is invalid.'];
  return faults;
}

function rightFaults({ level }: Target, permissions: readonly Right[]): FieldFaults {
  const allowedRights = rightsOfLevel[level];
  return Object.fromEntries(
    permissions.flatMap((right, index) =>
      allowedRights.includes(right)
        ? []
        : [[`permissions.${index}`, [`${right} is not a right on ${levelNames[level]}.`]]],
    ),
  );
}

const levelNames = { customer: 'a customer', account: 'an account', room: 'a room' };

function inviterOf({ type, id, name }: Actor) {
  return { inviter_type: type === 'visitor' ? 'system' : type, inviter_id: id, invited_by: name };
}

function invitationMail(
  { invitation: { mail } }: Texts,
  { level, name, customerName }: Pick<Target, 'level' | 'name' | 'customerName'>,
  { platform, url }: { readonly platform: string; readonly url: string },
): MailContents {
  const values = { platform, name, customer: customerName };
  return {
    subject: fill(mail.subject, values),
    heading: fill(mail.heading, values),
    paragraphs: [fill(level === 'customer' ? mail.invitedByCustomer : mail.invited, values)],
    action: { label: mail.action, url },
    notes: [mail.validity, mail.unexpected],
  };
}
