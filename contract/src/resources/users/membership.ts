import { collection } from '../../conventions/collection.ts';
import { type Access, endpoint, holders, members } from '../../conventions/endpoint.ts';
import { boolean, identifier, listOf, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, one, type Resource, resource, timestamps } from '../../conventions/resource.ts';
import {
  roomRights,
  accountRights,
  customerRights,
  type MembershipLevel,
  type Right,
} from '../../conventions/rights.ts';
import type { IdentifierPrefix } from '../../conventions/identifier-prefixes.ts';
import { nouns } from '../nouns.ts';
import { newUser, personStatuses } from './user.ts';

/** The fields of the user that a membership includes. */
const userFields = {
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
    ...userFields,
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
    ...userFields,
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
    ...userFields,
    ...timestamps(),
  },
  includes: { room: one('Room'), user: one('User') },
});

/** An existing user, or the data of a new one. */
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

const createErrors = [
  'already-exists',
  'owner-has-all-rights',
  'privilege-escalation',
  'customer-not-active',
  'busy',
] as const;
const updateErrors = ['owner-required', 'owner-has-all-rights', 'privilege-escalation'] as const;
const createDescription =
  'Send the `user_id` of an existing user, or the `email`, `first_name` and `last_name` of a new one. `owner` true transfers the ownership to this user.';
const updateDescription =
  '`owner` true transfers the ownership to this user; the previous owner keeps a membership with all rights. You cannot grant rights that you do not hold there, or that the scopes of your token do not cover.';

interface Membership<Level extends MembershipLevel, Rights extends readonly Right[]> {
  readonly level: Level;
  readonly tag: string;
  readonly rights: Rights;
  readonly readers: Access;
  readonly writers: Access;
}

/** The endpoints of the users of a customer, an account or a room. */
function membershipEndpoints<
  R extends Resource,
  const Level extends MembershipLevel,
  const Rights extends readonly Right[],
>(resource: R, { level, tag, rights, readers, writers }: Membership<Level, Rights>) {
  const parentId = `${level}_id` as const;
  const { prefix } = nouns[level];
  const params = { [parentId]: prefix } as Readonly<Record<`${Level}_id`, IdentifierPrefix>>;
  const users = collection(resource, {
    path: `/${level}s/:${parentId}/users`,
    tag,
    params,
    elementParams: { ...params, user_id: ['user', resource.prefix] },
  });
  const parent = `${level === 'account' ? 'an' : 'a'} ${level}`;
  const permissions = optional(listOf(oneOf(rights)));
  return {
    list: endpoint({ ...users.list, summary: `List the users of ${parent}`, access: readers }),
    create: endpoint({
      ...users.create,
      summary: `Add a user to ${parent}`,
      description: createDescription,
      access: writers,
      body: object({ ...member, permissions }),
      errors: createErrors,
    }),
    read: endpoint({ ...users.read, summary: `Read the membership of a user in ${parent}`, access: readers }),
    update: endpoint({
      ...users.update,
      summary: `Change the rights of a user in ${parent}, or transfer the ownership to them`,
      description: updateDescription,
      access: writers,
      body: object({ owner: optional(boolean()), permissions }),
      immutable: object({ [parentId]: optional(identifier(prefix)), user_id: optional(identifier('user')) }),
      errors: updateErrors,
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

const ofCustomer = membershipEndpoints(CustomerUser, {
  level: 'customer',
  tag: 'Customers',
  rights: customerRights,
  readers: holders('read-users', customerManagers),
  writers: holders('update-users', customerManagers),
});
const ofAccount = membershipEndpoints(AccountUser, {
  level: 'account',
  tag: 'Accounts',
  rights: accountRights,
  readers: holders('read-users', accountManagers),
  writers: holders('update-users', accountManagers),
});
const ofRoom = membershipEndpoints(RoomUser, {
  level: 'room',
  tag: 'Rooms',
  rights: roomRights,
  readers: roomManagers,
  writers: roomManagers,
});

export const customerUserEndpoints = {
  listCustomerUsers: ofCustomer.list,
  createCustomerUser: ofCustomer.create,
  readCustomerUser: ofCustomer.read,
  updateCustomerUser: ofCustomer.update,
  deleteCustomerUser: ofCustomer.delete,
};

export const accountUserEndpoints = {
  listAccountUsers: ofAccount.list,
  createAccountUser: ofAccount.create,
  readAccountUser: ofAccount.read,
  updateAccountUser: ofAccount.update,
  deleteAccountUser: ofAccount.delete,
};

export const roomUserEndpoints = {
  listRoomUsers: ofRoom.list,
  createRoomUser: ofRoom.create,
  readRoomUser: ofRoom.read,
  updateRoomUser: ofRoom.update,
  deleteRoomUser: ofRoom.delete,
};
