import { collection } from '../../conventions/collection.ts';
import { anyone, endpoint, holders, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { customerRights } from '../../conventions/rights.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { User } from './user.ts';

export const invitationStatuses = ['pending', 'accepted', 'expired', 'withdrawn'] as const;

/** An invitation by email to become a user of a customer, of one of its accounts or of one of its rooms. */
export const Invitation = resource('invitation', {
  readPermission: 'read-users',
  fields: {
    ...identity('invitation'),
    email: text(254, { freeText: true }),
    first_name: nullable(text(150, { freeText: true })),
    last_name: nullable(text(150, { freeText: true })),
    customer_id: identifier('cust'),
    account_id: nullable(identifier('acct')),
    room_id: nullable(identifier('room')),
    owner: boolean('The person who accepts becomes the owner.'),
    permissions: listOf(oneOf(customerRights)),
    status: oneOf(invitationStatuses),
    expires_at: instant(),
    accepted_at: nullable(instant()),
    invited_by: nullable(text(254, { freeText: true, description: 'The name of the person who sent the invitation.' })),
    url: derived(
      nullable(
        text(2048, {
          description:
            'The link to accept the invitation. Shown once, in the response to the request that sends or resends it, and only if no mail server is configured.',
        }),
      ),
    ),
    ...timestamps(),
  },
  includes: { customer: one('Customer'), account: one('Account'), room: one('Room') },
});

const tag = 'Invitations';
/** Users with the right to manage the users of the customer. */
const managers = members('manage-customer-users', 'customer', 'customer_id');
const params = { customer_id: 'cust' } as const;
const elementParams = { customer_id: 'cust', invitation_id: 'inv' } as const;
const person = {
  first_name: optional(nullable(text(150, { minLength: 1 }))),
  last_name: optional(nullable(text(150, { minLength: 1 }))),
};

const invitations = collection(Invitation, {
  path: '/customers/:customer_id/invitations',
  tag,
  params,
  elementParams,
});

export const invitationEndpoints = {
  listInvitations: endpoint({
    ...invitations.list,
    summary: 'List the invitations of a customer',
    access: holders('read-users', managers),
  }),
  createInvitation: endpoint({
    ...invitations.create,
    summary: 'Invite a person by email to a customer, or to one of its accounts or rooms',
    description:
      'The link is sent to the address and is valid for seven days. `permissions` are rights in the room if `room_id` is set, otherwise in the account if `account_id` is set, otherwise in the customer.',
    access: holders('create-users', managers),
    body: object({
      email: text(254, { format: 'email' }),
      ...person,
      account_id: optional(nullable(identifier('acct'))),
      room_id: optional(nullable(identifier('room'))),
      owner: optional(boolean()),
      permissions: optional(listOf(oneOf(customerRights))),
    }),
    errors: ['already-exists', 'customer-not-active', 'privilege-escalation'],
  }),
  readInvitation: endpoint({
    ...invitations.read,
    summary: 'Read an invitation',
    access: holders('read-users', managers),
  }),
  deleteInvitation: endpoint({
    ...invitations.delete,
    summary: 'Withdraw an invitation, which invalidates its link',
    access: holders('delete-users', managers),
    errors: ['invitation-accepted'],
  }),
  resendInvitation: endpoint({
    method: 'POST',
    path: '/customers/:customer_id/invitations/:invitation_id/resend',
    tag,
    summary: 'Send an invitation again, with a new link that is valid for seven days',
    access: holders('create-users', managers),
    params: elementParams,
    answer: single(Invitation),
    errors: ['already-exists', 'customer-not-active', 'invitation-accepted', 'privilege-escalation'],
  }),
  acceptInvitation: endpoint({
    method: 'POST',
    path: '/invitations/accept',
    tag,
    summary: 'Accept an invitation with the token of its link',
    description:
      'A new user sends their names (unless the invitation has them) and a new password. An existing user with the email of the invitation sends their current password.',
    access: anyone,
    rateLimit: 'login',
    body: object({
      token: text(64, { minLength: 1, secret: true }),
      ...person,
      password: text(512, { minLength: 1, secret: true }),
    }),
    answer: single(User),
    errors: ['link-not-valid', 'wrong-credentials', 'customer-not-active', 'too-many-requests'],
  }),
};
