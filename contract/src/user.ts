import { authenticated, endpoint, holders, list, single } from './endpoint.ts';
import { boolean, derived, instant, listOf, map, metadata, nullable, oneOf, text } from './field.ts';
import { identity, many, resource, timestamps } from './resource.ts';

/** What administrators and users have in common. */
const person = {
  first_name: text(150, { freeText: true }),
  last_name: text(150, { freeText: true }),
  full_name: text(301),
  email: text(254, { freeText: true }),
  status: oneOf(['active', 'inactive']),
  locale: text(35),
  timezone: text(64),
  email_verified_at: nullable(instant()),
  has_email_verified: boolean(),
};

/** A person of one or more customers. */
export const User = resource({
  object: 'User',
  prefix: 'user',
  readPermission: 'read-users',
  fields: {
    ...identity('User', 'user'),
    ...person,
    user_settings: map(),
    user_metadata: metadata(),
    ...timestamps(),
  },
  includes: { customers: many('Customer'), accounts: many('Account'), rooms: many('Room') },
});

export const Admin = resource({
  object: 'Admin',
  prefix: 'admin',
  readPermission: 'read-admins',
  fields: {
    ...identity('Admin', 'admin'),
    username: text(50, { freeText: true }),
    ...person,
    admin_settings: map({ emptyAsArray: true }),
    admin_metadata: metadata(),
    ...timestamps(),
  },
  includes: { roles: many('Role') },
});

/** The caller as an administrator: besides the members of `Admin`, what it may do. */
export const AdminSelf = resource({
  ...Admin,
  readPermission: null,
  fields: { ...Admin.fields, permissions: derived(listOf(text())) },
});

export const UserSelf = resource({
  ...User,
  readPermission: null,
  fields: { ...User.fields, permissions: derived(listOf(text())) },
});

export const Role = resource({
  object: 'Role',
  prefix: 'role',
  readPermission: 'read-roles',
  fields: {
    ...identity('Role', 'role'),
    name: text(50, { freeText: true }),
    display_name: nullable(text(150, { freeText: true })),
    description: nullable(text(32_768)),
    guard_name: oneOf(['api']),
    ...timestamps(),
  },
  includes: { permissions: many('Permission') },
});

export const Permission = resource({
  object: 'Permission',
  prefix: 'perm',
  readPermission: 'read-permissions',
  fields: {
    ...identity('Permission', 'perm'),
    name: text(150, { freeText: true }),
    display_name: text(150, { freeText: true }),
    description: text(32_768),
    guard_name: oneOf(['api']),
    ...timestamps(),
  },
  includes: {},
});

export const adminEndpoints = {
  readCallingAdmin: endpoint({
    method: 'GET',
    path: '/admins/me',
    tag: 'Administrators',
    summary: 'Read the calling administrator, with roles and effective permissions',
    access: authenticated('admins'),
    answer: single(AdminSelf, ['roles']),
  }),
};

export const userEndpoints = {
  readCallingUser: endpoint({
    method: 'GET',
    path: '/users/me',
    tag: 'Users',
    summary: 'Read the calling user',
    access: authenticated('users'),
    answer: single(UserSelf),
  }),
  listUsers: endpoint({
    method: 'GET',
    path: '/users',
    tag: 'Users',
    summary: 'List users',
    access: holders('read-users'),
    answer: list(User),
  }),
  readUser: endpoint({
    method: 'GET',
    path: '/users/:user_id',
    tag: 'Users',
    summary: 'Read a user',
    access: holders('read-users'),
    params: { user_id: 'user' },
    answer: single(User),
  }),
};
