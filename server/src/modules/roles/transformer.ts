import { Permission, Role } from '@foyer/contract/role.ts';
import { defineView, linked, relate } from '../../platform/list-query/view.ts';
import type { PermissionRow, RoleRow } from './store.ts';

export const permissionView = defineView<typeof Permission.fields, PermissionRow>({
  resource: Permission,
  table: 'permissions',
  transform: (row) => ({
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    guard_name: 'api',
  }),
});

export const roleView = defineView<typeof Role.fields, RoleRow>({
  resource: Role,
  table: 'roles',
  transform: (row) => ({
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    guard_name: 'api',
  }),
});

relate(
  roleView,
  'permissions',
  linked(() => permissionView, {
    table: 'role_permissions',
    parent: 'role_id',
    child: 'permission_id',
  }),
);
relate(
  permissionView,
  'roles',
  linked(() => roleView, {
    table: 'role_permissions',
    parent: 'permission_id',
    child: 'role_id',
  }),
);
