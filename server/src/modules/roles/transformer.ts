import { Permission, Role } from '@foyer/contract/resources/administrators/role.ts';
import { defineView } from '../../platform/list-query/view.ts';
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
