import type { TProperties } from 'typebox';
import { type Collection, collection, type Params } from '../../conventions/collection.ts';
import { type Access, endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, identifier, listOf, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, type Resource, resource, timestamps } from '../../conventions/resource.ts';
import { roomRights, accountRights, customerRights, type Right } from '../../conventions/rights.ts';
import { newUser, personStatuses } from './user.ts';

/** What a membership shows of its user. */
const shown = {
  first_name: text(150, { freeText: true }),
  last_name: text(150, { freeText: true }),
  full_name: text(301),
  email: text(254, { freeText: true }),
  status: oneOf(personStatuses),
};

export const CustomerUser = resource('customer_user', {
  readPermission: 'read-users',
  fields: {
    ...identity('customer_user'),
    customer_id: identifier('cust'),
    user_id: identifier('user'),
    owner: boolean(),
    permissions: listOf(oneOf(customerRights)),
    ...shown,
    ...timestamps(),
  },
  includes: { customer: one('Customer'), user: one('User') },
});

export const AccountUser = resource('account_user', {
  readPermission: 'read-users',
  fields: {
    ...identity('account_user'),
    account_id: identifier('acct'),
    user_id: identifier('user'),
    owner: boolean(),
    permissions: listOf(oneOf(accountRights)),
    ...shown,
    ...timestamps(),
  },
  includes: { account: one('Account'), user: one('User') },
});

export const RoomUser = resource('room_user', {
  readPermission: 'manage-rooms-users',
  fields: {
    ...identity('room_user'),
    room_id: identifier('room'),
    user_id: identifier('user'),
    owner: boolean(),
    permissions: listOf(oneOf(roomRights)),
    ...shown,
    ...timestamps(),
  },
  includes: { room: one('Room'), user: one('User') },
});

/** An existing user, or what a new one needs. */
const member = {
  user_id: optional(identifier('user', 'An existing user, instead of the email and names of a new one.')),
  email: optional(newUser.email),
  first_name: optional(newUser.first_name),
  last_name: optional(newUser.last_name),
  password: newUser.password,
  locale: newUser.locale,
  timezone: newUser.timezone,
  owner: optional(boolean()),
};

const additionRefusals = [
  'already-exists',
  'owner-has-all-rights',
  'privilege-escalation',
  'customer-not-active',
  'busy',
] as const;
const changeRefusals = ['owner-required', 'owner-has-all-rights', 'privilege-escalation'] as const;
const addition =
  'Send the `user_id` of an existing user, or the `email`, `first_name` and `last_name` of a new one. `owner` true transfers the ownership to this user.';
const changing =
  '`owner` true transfers the ownership to this user; the previous owner keeps a membership with all rights. You cannot grant rights that you do not hold there, or that the scopes of your token do not cover.';

interface Membership<Rights extends readonly Right[]> {
  /** With its article. */
  readonly parent: string;
  readonly rights: Rights;
  readonly readers: Access;
  readonly writers: Access;
  /** The member that names the parent. */
  readonly immutable: TProperties;
}

/** The endpoints of the users of a customer, an account or a room. */
function membershipEndpoints<
  R extends Resource,
  Own extends Params,
  Outer extends Params,
  const Rights extends readonly Right[],
>(users: Collection<R, Own, Outer>, { parent, rights, readers, writers, immutable }: Membership<Rights>) {
  const permissions = optional(listOf(oneOf(rights)));
  return {
    list: endpoint({ ...users.list, summary: `List the users of ${parent}`, access: readers }),
    create: endpoint({
      ...users.create,
      summary: `Add a user to ${parent}`,
      description: addition,
      access: writers,
      body: object({ ...member, permissions }),
      errors: additionRefusals,
    }),
    read: endpoint({ ...users.read, summary: `Read the membership of a user in ${parent}`, access: readers }),
    update: endpoint({
      ...users.update,
      summary: `Change the rights of a user in ${parent}, or make it the owner`,
      description: changing,
      access: writers,
      body: object({ owner: optional(boolean()), permissions }),
      immutable: object({ ...immutable, user_id: optional(identifier('user')) }),
      errors: changeRefusals,
    }),
    delete: endpoint({
      ...users.delete,
      summary: `Remove a user from ${parent}`,
      access: writers,
      errors: ['owner-required'],
    }),
  };
}

const customerManagers = members('manage-customer-users', 'customer', 'customer_id');
const accountManagers = members('manage-account-users', 'account', 'account_id');
const roomManagers = holders('manage-rooms-users', members('manage-users', 'room', 'room_id'));

const customerUsers = membershipEndpoints(
  collection(CustomerUser, {
    path: '/customers/:customer_id/users',
    tag: 'Customers',
    params: { customer_id: 'cust' },
    elementParams: { customer_id: 'cust', user_id: ['user', 'cuser'] },
  }),
  {
    parent: 'a customer',
    rights: customerRights,
    readers: holders('read-users', customerManagers),
    writers: holders('update-users', customerManagers),
    immutable: { customer_id: optional(identifier('cust')) },
  },
);

export const customerUserEndpoints = {
  listCustomerUsers: customerUsers.list,
  createCustomerUser: customerUsers.create,
  readCustomerUser: customerUsers.read,
  updateCustomerUser: customerUsers.update,
  deleteCustomerUser: customerUsers.delete,
};

const accountUsers = membershipEndpoints(
  collection(AccountUser, {
    path: '/accounts/:account_id/users',
    tag: 'Accounts',
    params: { account_id: 'acct' },
    elementParams: { account_id: 'acct', user_id: ['user', 'auser'] },
  }),
  {
    parent: 'an account',
    rights: accountRights,
    readers: holders('read-users', accountManagers),
    writers: holders('update-users', accountManagers),
    immutable: { account_id: optional(identifier('acct')) },
  },
);

export const accountUserEndpoints = {
  listAccountUsers: accountUsers.list,
  createAccountUser: accountUsers.create,
  readAccountUser: accountUsers.read,
  updateAccountUser: accountUsers.update,
  deleteAccountUser: accountUsers.delete,
};

const roomUsers = membershipEndpoints(
  collection(RoomUser, {
    path: '/rooms/:room_id/users',
    tag: 'Rooms',
    params: { room_id: 'room' },
    elementParams: { room_id: 'room', user_id: ['user', 'ruser'] },
  }),
  {
    parent: 'a room',
    rights: roomRights,
    readers: roomManagers,
    writers: roomManagers,
    immutable: { room_id: optional(identifier('room')) },
  },
);

export const roomUserEndpoints = {
  listRoomUsers: roomUsers.list,
  createRoomUser: roomUsers.create,
  readRoomUser: roomUsers.read,
  updateRoomUser: roomUsers.update,
  deleteRoomUser: roomUsers.delete,
};
