import { created, empty, endpoint, holders, list, members, single } from '../../conventions/endpoint.ts';
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

export const customerUserEndpoints = {
  listCustomerUsers: endpoint({
    method: 'GET',
    path: '/customers/:customer_id/users',
    tag: 'Customers',
    summary: 'List the users of a customer',
    access: holders('read-users', customerManagers),
    params: { customer_id: 'cust' },
    answer: list(CustomerUser),
  }),
  createCustomerUser: endpoint({
    method: 'POST',
    path: '/customers/:customer_id/users',
    tag: 'Customers',
    summary: 'Add a user to a customer',
    description: addition,
    access: holders('update-users', customerManagers),
    params: { customer_id: 'cust' },
    body: object({ ...member, permissions: optional(listOf(oneOf(customerRights))) }),
    answer: created(CustomerUser),
    errors: additionRefusals,
  }),
  readCustomerUser: endpoint({
    method: 'GET',
    path: '/customers/:customer_id/users/:user_id',
    tag: 'Customers',
    summary: 'Read the membership of a user in a customer',
    access: holders('read-users', customerManagers),
    params: { customer_id: 'cust', user_id: ['user', 'cuser'] },
    answer: single(CustomerUser),
  }),
  updateCustomerUser: endpoint({
    method: 'PATCH',
    path: '/customers/:customer_id/users/:user_id',
    tag: 'Customers',
    summary: 'Change the rights of a user in a customer, or make it the owner',
    description: changing,
    access: holders('update-users', customerManagers),
    params: { customer_id: 'cust', user_id: ['user', 'cuser'] },
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(customerRights))) }),
    immutable: object({ customer_id: optional(identifier('cust')), user_id: optional(identifier('user')) }),
    answer: single(CustomerUser),
    errors: changeRefusals,
  }),
  deleteCustomerUser: endpoint({
    method: 'DELETE',
    path: '/customers/:customer_id/users/:user_id',
    tag: 'Customers',
    summary: 'Remove a user from a customer',
    access: holders('update-users', customerManagers),
    params: { customer_id: 'cust', user_id: ['user', 'cuser'] },
    answer: empty,
    errors: ['owner-required'],
  }),
};

export const accountUserEndpoints = {
  listAccountUsers: endpoint({
    method: 'GET',
    path: '/accounts/:account_id/users',
    tag: 'Accounts',
    summary: 'List the users of an account',
    access: holders('read-users', accountManagers),
    params: { account_id: 'acct' },
    answer: list(AccountUser),
  }),
  createAccountUser: endpoint({
    method: 'POST',
    path: '/accounts/:account_id/users',
    tag: 'Accounts',
    summary: 'Add a user to an account',
    description: addition,
    access: holders('update-users', accountManagers),
    params: { account_id: 'acct' },
    body: object({ ...member, permissions: optional(listOf(oneOf(accountRights))) }),
    answer: created(AccountUser),
    errors: additionRefusals,
  }),
  readAccountUser: endpoint({
    method: 'GET',
    path: '/accounts/:account_id/users/:user_id',
    tag: 'Accounts',
    summary: 'Read the membership of a user in an account',
    access: holders('read-users', accountManagers),
    params: { account_id: 'acct', user_id: ['user', 'auser'] },
    answer: single(AccountUser),
  }),
  updateAccountUser: endpoint({
    method: 'PATCH',
    path: '/accounts/:account_id/users/:user_id',
    tag: 'Accounts',
    summary: 'Change the rights of a user in an account, or make it the owner',
    description: changing,
    access: holders('update-users', accountManagers),
    params: { account_id: 'acct', user_id: ['user', 'auser'] },
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(accountRights))) }),
    immutable: object({ account_id: optional(identifier('acct')), user_id: optional(identifier('user')) }),
    answer: single(AccountUser),
    errors: changeRefusals,
  }),
  deleteAccountUser: endpoint({
    method: 'DELETE',
    path: '/accounts/:account_id/users/:user_id',
    tag: 'Accounts',
    summary: 'Remove a user from an account',
    access: holders('update-users', accountManagers),
    params: { account_id: 'acct', user_id: ['user', 'auser'] },
    answer: empty,
    errors: ['owner-required'],
  }),
};

export const roomUserEndpoints = {
  listRoomUsers: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/users',
    tag: 'Rooms',
    summary: 'List the users of a room',
    access: holders('manage-rooms-users', roomManagers),
    params: { room_id: 'room' },
    answer: list(RoomUser),
  }),
  createRoomUser: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/users',
    tag: 'Rooms',
    summary: 'Add a user to a room',
    description: addition,
    access: holders('manage-rooms-users', roomManagers),
    params: { room_id: 'room' },
    body: object({ ...member, permissions: optional(listOf(oneOf(roomRights))) }),
    answer: created(RoomUser),
    errors: additionRefusals,
  }),
  readRoomUser: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/users/:user_id',
    tag: 'Rooms',
    summary: 'Read the membership of a user in a room',
    access: holders('manage-rooms-users', roomManagers),
    params: { room_id: 'room', user_id: ['user', 'ruser'] },
    answer: single(RoomUser),
  }),
  updateRoomUser: endpoint({
    method: 'PATCH',
    path: '/rooms/:room_id/users/:user_id',
    tag: 'Rooms',
    summary: 'Change the rights of a user in a room, or make it the owner',
    description: changing,
    access: holders('manage-rooms-users', roomManagers),
    params: { room_id: 'room', user_id: ['user', 'ruser'] },
    body: object({ owner: optional(boolean()), permissions: optional(listOf(oneOf(roomRights))) }),
    immutable: object({ room_id: optional(identifier('room')), user_id: optional(identifier('user')) }),
    answer: single(RoomUser),
    errors: changeRefusals,
  }),
  deleteRoomUser: endpoint({
    method: 'DELETE',
    path: '/rooms/:room_id/users/:user_id',
    tag: 'Rooms',
    summary: 'Remove a user from a room',
    access: holders('manage-rooms-users', roomManagers),
    params: { room_id: 'room', user_id: ['user', 'ruser'] },
    answer: empty,
    errors: ['owner-required'],
  }),
};
