import { collection } from '../../conventions/collection.ts';
import { authenticated, empty, endpoint, holders, single } from '../../conventions/endpoint.ts';
import {
  derived,
  identifier,
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
import { person, personSettings, personStatuses } from '../users/user.ts';

export const Admin = resource('admin', {
  readPermission: 'read-admins',
  fields: {
    ...identity('admin'),
    username: text(50, { freeText: true }),
    ...person,
    admin_settings: map({ emptyAsArray: true }),
    admin_metadata: metadata(),
    ...timestamps(),
  },
  includes: { roles: many('Role') },
});

/** The calling administrator: the fields of `Admin`, plus the permissions of the token. */
export const AdminSelf = variant(Admin, {
  readPermission: null,
  fields: { ...Admin.fields, permissions: derived(listOf(text())) },
});

const tag = 'Administrators';
const params = { admin_id: 'admin' } as const;
const name = text(150, { minLength: 1 });
const password = text(512, { secret: true });
const username = text(50, { minLength: 3, pattern: '^[A-Za-z0-9._-]+$' });
const email = text(254, { format: 'email' });
const writable = {
  locale: optional(text(35, { format: 'locale' })),
  timezone: optional(text(64, { format: 'time-zone' })),
  admin_settings: optional(nullable(map({ ...personSettings, emptyAsArray: true }))),
  admin_metadata: optional(nullable(metadata())),
};
const immutableFields = object({ username: optional(text(50)), email: optional(text(254)) });
const roleIds = listOf(identifier('role'));

const ownAccount = { tag, access: authenticated('admins'), isAllowedWithoutSecondFactor: true } as const;

/** `roles/assign`, `roles/revoke` and `roles/sync` return the administrator with its roles. */
const roleChange = {
  method: 'POST',
  tag,
  access: holders('manage-admins-access'),
  body: object({ admin_id: identifier('admin'), roles_ids: roleIds }),
  answer: single(Admin, ['roles']),
} as const;

const admins = collection(Admin, { path: '/admins', tag, elementParams: params });

export const adminEndpoints = {
  readCallingAdmin: endpoint({
    ...ownAccount,
    method: 'GET',
    path: '/admins/me',
    summary: 'Read the calling administrator, with roles and effective permissions',
    answer: single(AdminSelf, ['roles']),
  }),
  updateCallingAdmin: endpoint({
    ...ownAccount,
    method: 'PATCH',
    path: '/admins/me',
    summary: 'Change the calling administrator',
    body: object({ first_name: optional(name), last_name: optional(name), ...writable }),
    immutable: immutableFields,
    answer: single(AdminSelf, ['roles']),
    errors: ['forbidden'],
  }),
  changeCallingAdminPassword: endpoint({
    ...ownAccount,
    method: 'POST',
    path: '/admins/me/password',
    summary: 'Change the password of the calling administrator',
    description: 'All other sessions end.',
    checksSecret: true,
    body: object({ current_password: text(512, { minLength: 1, secret: true }), password }),
    answer: empty,
    errors: ['wrong-credentials', 'forbidden', 'conflict', 'too-many-requests', 'busy'],
  }),
  listAdmins: endpoint({
    ...admins.list,
    summary: 'List administrators',
    access: holders('read-admins'),
  }),
  createAdmin: endpoint({
    ...admins.create,
    summary: 'Create an administrator',
    description: 'To set `roles_ids` you also need `manage-admins-access` and every permission of those roles.',
    access: holders('create-admins'),
    body: object({
      username,
      email,
      first_name: name,
      last_name: name,
      password,
      status: optional(oneOf(personStatuses)),
      ...writable,
      roles_ids: optional(roleIds),
    }),
    errors: ['privilege-escalation', 'busy'],
  }),
  readAdmin: endpoint({
    ...admins.read,
    summary: 'Read an administrator',
    access: holders('read-admins'),
  }),
  updateAdmin: endpoint({
    ...admins.update,
    summary: 'Change an administrator',
    description:
      "A new password or the status `inactive` ends the administrator's sessions. You cannot change either for an administrator with permissions that you do not have.",
    access: holders('update-admins'),
    body: object({
      first_name: optional(name),
      last_name: optional(name),
      password: optional(password),
      status: optional(oneOf(personStatuses)),
      ...writable,
    }),
    immutable: immutableFields,
    errors: ['privilege-escalation', 'last-full-administrator', 'own-account', 'busy'],
  }),
  deleteAdmin: endpoint({
    ...admins.delete,
    summary: 'Delete an administrator',
    access: holders('delete-admins'),
    errors: ['privilege-escalation', 'last-full-administrator', 'own-account'],
  }),
  endAdminSessions: endpoint({
    method: 'DELETE',
    path: '/admins/:admin_id/sessions',
    tag,
    summary: 'End all sessions and tokens of an administrator',
    access: holders('update-admins'),
    params,
    answer: empty,
    errors: ['privilege-escalation'],
  }),
  assignRoles: endpoint({
    ...roleChange,
    path: '/roles/assign',
    summary: 'Add roles to an administrator',
    errors: ['privilege-escalation'],
  }),
  revokeRoles: endpoint({
    ...roleChange,
    path: '/roles/revoke',
    summary: 'Remove roles from an administrator',
    errors: ['privilege-escalation', 'last-full-administrator'],
  }),
  syncRoles: endpoint({
    ...roleChange,
    path: '/roles/sync',
    summary: 'Replace the roles of an administrator',
    errors: ['privilege-escalation', 'last-full-administrator'],
  }),
};
