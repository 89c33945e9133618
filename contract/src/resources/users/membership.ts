import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, identifier, listOf, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';
import { roomRights, accountRights, customerRights } from '../../conventions/rights.ts';
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

const customerManagers = members('manage-customer-users', 'customer', 'customer_id');
const accountManagers = members('manage-account-users', 'account', 'account_id');
const roomManagers = members('manage-users', 'room', 'room_id');

const customerUsers = collection(CustomerUser, {
  path: '/customers/:customer_id/users',
  tag: 'Customers',
  params: { customer_id: 'cust' },
  elementParams: { customer_id: 'cust', user_id: ['user', 'cuser'] },
});

export const customerUserEndpoints = {
  listCustomerUsers: endpoint({
    ...customerUsers.list,
    summary: 'List the users of a customer',
    access: holders('read-users', customerManagers),
  }),
  createCustomerUser: endpoint({
    ...customerUsers.create,
    summary: 'Add a user to a customer',
    description: addition,
    access: holders('update-users', customerManagers),
    body: object({ ...member, permissions: optional(listOf(oneOf(customerRights))) }),
    errors: additionRefusals,
  }),
  readCustomerUser: endpoint({
    ...customerUsers.read,
    summary: 'Read the membership of a user in a customer',
    access: holders('read-users', customerManagers),
  }),
  updateCustomerUser: endpoint({
    ...customerUsers.update,
    summary: 'Change the rights of a user in a customer, or make it the owner',
    description: changing,
    access: holders('update-users', customerManagers),
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(customerRights))) }),
    immutable: object({ customer_id: optional(identifier('cust')), user_id: optional(identifier('user')) }),
    errors: changeRefusals,
  }),
  deleteCustomerUser: endpoint({
    ...customerUsers.delete,
    summary: 'Remove a user from a customer',
    access: holders('update-users', customerManagers),
    errors: ['owner-required'],
  }),
};

const accountUsers = collection(AccountUser, {
  path: '/accounts/:account_id/users',
  tag: 'Accounts',
  params: { account_id: 'acct' },
  elementParams: { account_id: 'acct', user_id: ['user', 'auser'] },
});

export const accountUserEndpoints = {
  listAccountUsers: endpoint({
    ...accountUsers.list,
    summary: 'List the users of an account',
    access: holders('read-users', accountManagers),
  }),
  createAccountUser: endpoint({
    ...accountUsers.create,
    summary: 'Add a user to an account',
    description: addition,
    access: holders('update-users', accountManagers),
    body: object({ ...member, permissions: optional(listOf(oneOf(accountRights))) }),
    errors: additionRefusals,
  }),
  readAccountUser: endpoint({
    ...accountUsers.read,
    summary: 'Read the membership of a user in an account',
    access: holders('read-users', accountManagers),
  }),
  updateAccountUser: endpoint({
    ...accountUsers.update,
    summary: 'Change the rights of a user in an account, or make it the owner',
    description: changing,
    access: holders('update-users', accountManagers),
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(accountRights))) }),
    immutable: object({ account_id: optional(identifier('acct')), user_id: optional(identifier('user')) }),
    errors: changeRefusals,
  }),
  deleteAccountUser: endpoint({
    ...accountUsers.delete,
    summary: 'Remove a user from an account',
    access: holders('update-users', accountManagers),
    errors: ['owner-required'],
  }),
};

const roomUsers = collection(RoomUser, {
  path: '/rooms/:room_id/users',
  tag: 'Rooms',
  params: { room_id: 'room' },
  elementParams: { room_id: 'room', user_id: ['user', 'ruser'] },
});

export const roomUserEndpoints = {
  listRoomUsers: endpoint({
    ...roomUsers.list,
    summary: 'List the users of a room',
    access: holders('manage-rooms-users', roomManagers),
  }),
  createRoomUser: endpoint({
    ...roomUsers.create,
    summary: 'Add a user to a room',
    description: addition,
    access: holders('manage-rooms-users', roomManagers),
    body: object({ ...member, permissions: optional(listOf(oneOf(roomRights))) }),
    errors: additionRefusals,
  }),
  readRoomUser: endpoint({
    ...roomUsers.read,
    summary: 'Read the membership of a user in a room',
    access: holders('manage-rooms-users', roomManagers),
  }),
  updateRoomUser: endpoint({
    ...roomUsers.update,
    summary: 'Change the rights of a user in a room, or make it the owner',
    description: changing,
    access: holders('manage-rooms-users', roomManagers),
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(roomRights))) }),
    immutable: object({ room_id: optional(identifier('room')), user_id: optional(identifier('user')) }),
    errors: changeRefusals,
  }),
  deleteRoomUser: endpoint({
    ...roomUsers.delete,
    summary: 'Remove a user from a room',
    access: holders('manage-rooms-users', roomManagers),
    errors: ['owner-required'],
  }),
};
