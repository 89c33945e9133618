import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, list, single } from '../../conventions/endpoint.ts';
import { identifier, listOf, longText, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, many, resource, timestamps } from '../../conventions/resource.ts';

export const Role = resource('role', {
  readPermission: 'read-roles',
  fields: {
    ...identity('role'),
    name: text(50, { freeText: true }),
    display_name: nullable(text(150, { freeText: true })),
    description: nullable(text(32_768, { freeText: true })),
    guard_name: oneOf(['api']),
    ...timestamps(),
  },
  includes: { permissions: many('Permission'), admins: many('Admin') },
});

export const Permission = resource('permission', {
  readPermission: 'read-permissions',
  fields: {
    ...identity('permission'),
    name: text(150, { freeText: true }),
    display_name: text(150, { freeText: true }),
    description: text(32_768, { freeText: true }),
    guard_name: oneOf(['api']),
    ...timestamps(),
  },
  includes: { roles: many('Role') },
});

const tag = 'Roles and permissions';
const params = { role_id: 'role' } as const;
const texts = {
  display_name: optional(nullable(text(150))),
  description: optional(nullable(longText())),
};

/** `permissions/attach`, `permissions/detach` and `permissions/sync` return the role with its permissions. */
const permissionChange = {
  method: 'POST',
  tag,
  access: holders('manage-permissions'),
  body: object({ role_id: identifier('role'), permissions_ids: listOf(identifier('perm')) }),
  answer: single(Role, ['permissions']),
} as const;

const roles = collection(Role, { path: '/roles', tag, elementParams: params });

export const roleEndpoints = {
  listRoles: endpoint({
    ...roles.list,
    summary: 'List roles',
    access: holders('read-roles'),
  }),
  createRole: endpoint({
    ...roles.create,
    summary: 'Create a role',
    description: 'Every new role has `access-dashboard`.',
    access: holders('create-roles'),
    body: object({ name: text(50, { minLength: 2, pattern: '^[a-z0-9-]+$' }), ...texts }),
  }),
  readRole: endpoint({
    ...roles.read,
    summary: 'Read a role',
    access: holders('read-roles'),
  }),
  updateRole: endpoint({
    ...roles.update,
    summary: 'Change the display name or description of a role',
    access: holders('update-roles'),
    body: object(texts),
    immutable: object({ name: optional(text(50)), guard_name: optional(text(50)) }),
    errors: ['default-role'],
  }),
  deleteRole: endpoint({
    ...roles.delete,
    summary: 'Delete a role that no administrator has',
    access: holders('delete-roles'),
    errors: ['default-role', 'role-in-use'],
  }),
  listPermissions: endpoint({
    method: 'GET',
    path: '/permissions',
    tag,
    summary: 'List permissions',
    access: holders('read-permissions'),
    answer: list(Permission),
  }),
  readPermission: endpoint({
    method: 'GET',
    path: '/permissions/:permission_id',
    tag,
    summary: 'Read a permission',
    access: holders('read-permissions'),
    params: { permission_id: 'perm' },
    answer: single(Permission),
  }),
  attachPermissions: endpoint({
    ...permissionChange,
    path: '/permissions/attach',
    summary: 'Add permissions to a role',
    errors: ['default-role', 'privilege-escalation'],
  }),
  detachPermissions: endpoint({
    ...permissionChange,
    path: '/permissions/detach',
    summary: 'Remove permissions from a role',
    description: '`access-dashboard` cannot be removed.',
    errors: ['default-role', 'privilege-escalation'],
  }),
  syncPermissions: endpoint({
    ...permissionChange,
    path: '/permissions/sync',
    summary: 'Replace the permissions of a role; access-dashboard always stays',
    errors: ['default-role', 'privilege-escalation'],
  }),
};
