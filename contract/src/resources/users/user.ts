import { collection } from '../../conventions/collection.ts';
import { authenticated, empty, endpoint, holders, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  instant,
  listOf,
  map,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, many, resource, timestamps, variant } from '../../conventions/resource.ts';
import { notificationChanges } from '../platform/notification.ts';

export const personStatuses = ['active', 'inactive'] as const;

/** The members that administrators and users have in common. */
export const person = {
  first_name: text(150, { freeText: true }),
  last_name: text(150, { freeText: true }),
  full_name: text(301),
  email: text(254, { freeText: true }),
  status: oneOf(personStatuses),
  locale: text(35),
  timezone: text(64),
  email_verified_at: nullable(instant()),
  has_email_verified: boolean(),
};

/** Settings of a person. Foyer uses `notifications`; other keys are stored unchanged. */
export const personSettings = {
  description: '`notifications` is an object of booleans, which switch kinds of mail on and off.',
  known: { notifications: notificationChanges },
};

/** A person of one or more customers. */
export const User = resource('user', {
  readPermission: 'read-users',
  fields: {
    ...identity('user'),
    ...person,
    user_settings: map(),
    user_metadata: metadata(),
    ...timestamps(),
  },
  includes: { customers: many('Customer'), accounts: many('Account'), rooms: many('Room') },
});

export const UserSelf = variant(User, {
  readPermission: null,
  fields: { ...User.fields, permissions: derived(listOf(text())) },
});

const tag = 'Users';
const params = { user_id: 'user' } as const;
const name = text(150, { minLength: 1 });
const secret = text(512, { secret: true });
const ownWritable = {
  locale: optional(text(35, { format: 'locale' })),
  timezone: optional(text(64, { format: 'time-zone' })),
  user_settings: optional(nullable(map(personSettings))),
  user_metadata: optional(nullable(metadata())),
};

/** The members of a new user, also of one that is created with a membership. */
export const newUser = {
  email: text(254, { format: 'email' }),
  first_name: name,
  last_name: name,
  password: optional(secret),
  locale: ownWritable.locale,
  timezone: ownWritable.timezone,
};

const users = collection(User, { path: '/users', tag, elementParams: params });

export const userEndpoints = {
  readCallingUser: endpoint({
    method: 'GET',
    path: '/users/me',
    tag,
    summary: 'Read the calling user',
    access: authenticated('users'),
    answer: single(UserSelf),
  }),
  updateCallingUser: endpoint({
    method: 'PATCH',
    path: '/users/me',
    tag,
    summary: 'Change the calling user',
    access: authenticated('users'),
    body: object({ first_name: optional(name), last_name: optional(name), ...ownWritable }),
    answer: single(UserSelf),
  }),
  changeOwnPassword: endpoint({
    method: 'POST',
    path: '/users/me/password',
    tag,
    summary: 'Change the password of the calling user',
    description: 'All other sessions end.',
    access: authenticated('users'),
    checksSecret: true,
    body: object({ current_password: text(512, { minLength: 1, secret: true }), password: secret }),
    answer: empty,
    errors: ['too-many-requests', 'busy'],
  }),
  listUsers: endpoint({
    ...users.list,
    summary: 'List users',
    description: 'Users see themselves, and the users of the customers, accounts and rooms whose users they manage.',
    access: holders('read-users', members('manage-customer-users')),
  }),
  createUser: endpoint({
    ...users.create,
    summary: 'Create a user',
    description: 'Without a password the user cannot log in until an invitation or a password reset sets one.',
    access: holders('create-users'),
    body: object({
      ...newUser,
      status: optional(oneOf(personStatuses)),
      user_settings: ownWritable.user_settings,
      user_metadata: ownWritable.user_metadata,
    }),
    errors: ['busy'],
  }),
  readUser: endpoint({
    ...users.read,
    summary: 'Read a user',
    access: holders('read-users', members('manage-customer-users')),
  }),
  updateUser: endpoint({
    ...users.update,
    summary: 'Change a user',
    description: "A new email is unverified. A new password or the status `inactive` ends the user's sessions.",
    access: holders('update-users'),
    body: object({
      email: optional(newUser.email),
      first_name: optional(name),
      last_name: optional(name),
      password: optional(secret),
      status: optional(oneOf(personStatuses)),
      ...ownWritable,
    }),
    errors: ['busy'],
  }),
  deleteUser: endpoint({
    ...users.delete,
    summary: 'Delete a user with its memberships and tokens',
    access: holders('delete-users'),
    errors: ['user-is-owner'],
  }),
  endUserSessions: endpoint({
    method: 'DELETE',
    path: '/users/:user_id/sessions',
    tag,
    summary: 'End all sessions and tokens of a user',
    access: holders('update-users'),
    params,
    answer: empty,
  }),
};
